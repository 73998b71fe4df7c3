import { useSignal } from '@preact/signals';
import type { Share } from '../../client/client';
import { FailedLoad } from '../parts/failed-load';
import { LocalTime } from '../parts/local-time';
import { Skeleton } from '../parts/skeleton';
import { announce } from '../parts/status-line';
import { problemOf } from '../problem';
import { client } from '../session';
import { useLoaded } from '../use-loaded';
import { redactionText } from './shares';

/** The links to an eval that still work, each to be taken back. */
export function ShareList({ evalId }: { evalId: string }) {
  const { state, retry } = useLoaded((signal) => sharesOf(evalId, signal), [evalId]);
  const loaded = state.value;
  if (loaded.kind === 'loading') return <Skeleton lines={2} />;
  if (loaded.kind === 'failed') return <FailedLoad error={loaded.error} onRetry={retry} />;
  if (loaded.value.length === 0)
    return (
      <p class="quiet">
        No links to this eval yet. Create one, then try it in a private window: you see what others see, and you can
        revoke it here.
      </p>
    );
  return (
    <section class="shares" aria-label="Links to this eval">
      <h3>Active links</h3>
      <ul class="share-lines">
        {loaded.value.map((share) => (
          <ShareLine key={share.share_id} share={share} onRevoked={retry} />
        ))}
      </ul>
    </section>
  );
}

function ShareLine({
  share: { share_id: id, redact, created_at: created, expires_at: expires, views },
  onRevoked,
}: {
  share: Share;
  onRevoked: () => void;
}) {
  const problem = useSignal('');
  const revoke = async ({ currentTarget }: { currentTarget: HTMLElement }): Promise<void> => {
    const dialog = currentTarget.closest('dialog');
    // A missing link was revoked elsewhere.
    problem.value = await problemOf(() => client().shares.revoke(id), '');
    if (problem.value !== '') return;
    announce('The link was revoked');
    // The button disappears with its link; the dialog's close button stays.
    dialog?.querySelector('button')?.focus();
    onRevoked();
  };
  return (
    <li class="share-line">
      <span>
        Created <LocalTime timestamp={created} />, expires <LocalTime timestamp={expires} />; {redactionText(redact)};{' '}
        {viewsText(views)}
      </span>
      <button type="button" class="button-danger" onClick={(event) => void revoke(event)}>
        Revoke
      </button>
      <span class="problem" role="alert">
        {problem.value}
      </span>
    </li>
  );
}

function viewsText(views: number): string {
  if (views === 0) return 'not viewed yet';
  return views === 1 ? 'viewed once' : `viewed ${views} times`;
}

async function sharesOf(evalId: string, signal: AbortSignal): Promise<Share[]> {
  const shares: Share[] = [];
  for await (const share of client().shares.list({ subject: evalId }, { signal }))
    if (share.status === 'live') shares.push(share);
  return shares;
}
