import { type Signal, useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Share } from '../../client/client';
import { CopyButton } from '../parts/copy-button';
import { Dialog } from '../parts/dialog';
import { announce, MissingScope, Skeleton } from '../parts/notices';
import { FailedLoad } from '../parts/placeholders';
import { LocalTime } from '../parts/values';
import { problemOf, useLoaded } from '../requests';
import { client, hasScope } from '../session';
import { DEFAULT_EXPIRY_DAYS, EXPIRIES, type Redaction, REDACTIONS, redactionText, tokenOf } from './shares';

interface ShareDialogProps {
  subject: string;
  /** True if people with the link may be asked to vote. */
  takesVotes?: boolean;
  onClose: () => void;
}

/** Makes links to an eval or an experiment for people without a key, lists them, and takes them back. */
export function ShareDialog({ subject, takesVotes = false, onClose }: ShareDialogProps) {
  const made = useSignal<{ id: string; url: string } | undefined>(undefined);
  const isAnother = useSignal(false);
  const makeAnother = (): void => {
    isAnother.value = true;
    made.value = undefined;
  };
  return (
    <Dialog title={`Share this ${isExperiment(subject) ? 'experiment' : 'eval'}`} onClose={onClose}>
      {hasScope('shares') ? (
        <>
          {made.value === undefined ? (
            <NewShare
              subject={subject}
              takesVotes={takesVotes}
              takesFocus={isAnother.value}
              onMade={(share) => {
                made.value = share;
              }}
            />
          ) : (
            <Made url={made.value.url} onAnother={makeAnother} />
          )}
          <ShareList subject={subject} key={made.value?.id} />
        </>
      ) : (
        <MissingScope scope="shares" purpose="to share" />
      )}
    </Dialog>
  );
}

function isExperiment(subject: string): boolean {
  return subject.startsWith('exp_');
}

interface NewShareProps {
  subject: string;
  takesVotes: boolean;
  /** True if it replaces the focused element. */
  takesFocus: boolean;
  onMade: (share: { id: string; url: string }) => void;
}

function NewShare({ subject, takesVotes, takesFocus, onMade }: NewShareProps) {
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => {
    if (takesFocus) form.current?.querySelector('input')?.focus();
  }, []);
  const hidden = useSignal<readonly Redaction[]>([]);
  const texts = useSignal(false);
  const votes = useSignal(false);
  const days = useSignal<number>(DEFAULT_EXPIRY_DAYS);
  const isMaking = useSignal(false);
  const problem = useSignal('');
  const make = async (event: Event): Promise<void> => {
    event.preventDefault();
    isMaking.value = true;
    problem.value = '';
    problem.value = await problemOf(async () => {
      const share = await client().shares.create({
        subject,
        expires_in_days: days.value,
        ...(isExperiment(subject) ? { texts: texts.value } : { redact: [...hidden.value] }),
        ...(votes.value && { votes: true }),
      });
      // Who votes should not see the figures first.
      onMade({ id: share.share_id, url: `${pageAddress(share.url)}${votes.value ? '/vote' : ''}` });
      announce('The link was created');
    });
    isMaking.value = false;
  };
  return (
    <form class="new-share" ref={form} onSubmit={(event) => void make(event)}>
      <p>Anyone with the link can see it without a key, until the link expires or you revoke it.</p>
      {isExperiment(subject) ? (
        <Tick on={texts}>Show the texts too: prompt, checks, reason, and ten rows with answers</Tick>
      ) : (
        <Redactions hidden={hidden} />
      )}
      {takesVotes && <Tick on={votes}>People with the link may vote; they see questions and answers</Tick>}
      <Expiry days={days} />
      <p class="problem" role="alert">
        {problem.value}
      </p>
      <div class="dialog-foot">
        <button type="submit" class="button-primary" disabled={isMaking.value}>
          Create a link
        </button>
      </div>
    </form>
  );
}

function Tick({ on, children }: { on: Signal<boolean>; children: string }) {
  return (
    <label class="check">
      <input type="checkbox" checked={on.value} onChange={(event) => void (on.value = event.currentTarget.checked)} />
      {children}
    </label>
  );
}

function Redactions({ hidden }: { hidden: Signal<readonly Redaction[]> }) {
  const toggle = (name: Redaction): void => {
    hidden.value = hidden.value.includes(name)
      ? hidden.value.filter((other) => other !== name)
      : [...hidden.value, name];
  };
  return (
    <fieldset>
      <legend class="visually-hidden">Parts that the link hides</legend>
      {REDACTIONS.map(({ name, label }) => (
        <label key={name} class="check">
          <input type="checkbox" checked={hidden.value.includes(name)} onChange={() => toggle(name)} />
          {label}
        </label>
      ))}
    </fieldset>
  );
}

function Expiry({ days }: { days: Signal<number> }) {
  return (
    <div class="share-expiry">
      <label for="share-expiry">Expires after</label>
      <select
        id="share-expiry"
        value={days.value}
        onChange={(event) => {
          days.value = Number(event.currentTarget.value);
        }}
      >
        {EXPIRIES.map(([count, words]) => (
          <option key={count} value={count}>
            {words}
          </option>
        ))}
      </select>
    </div>
  );
}

function Made({ url, onAnother }: { url: string; onAnother: () => void }) {
  const link = useRef<HTMLInputElement>(null);
  // The button that had the focus is gone.
  useLayoutEffect(() => link.current?.focus(), []);
  return (
    <div class="made-share">
      <label for="share-link">The link, shown only now</label>
      <input
        id="share-link"
        type="text"
        ref={link}
        readOnly
        value={url}
        onFocus={(event) => event.currentTarget.select()}
      />
      <div class="dialog-foot">
        <button type="button" onClick={onAnother}>
          Create another link
        </button>
        <CopyButton text={() => url} what="Link" class="button-primary">
          Copy the link
        </CopyButton>
      </div>
    </div>
  );
}

/** The address of this page that shows what the service shares at its own. */
function pageAddress(url: string): string {
  const token = tokenOf(url);
  return token === undefined ? url : `${location.origin}/shared/${token}`;
}

/** The links that still work, each to be taken back. */
function ShareList({ subject }: { subject: string }) {
  const { state, retry } = useLoaded((signal) => sharesOf(subject, signal), [subject]);
  const loaded = state.value;
  if (loaded.kind === 'loading') return <Skeleton lines={2} />;
  if (loaded.kind === 'failed') return <FailedLoad error={loaded.error} onRetry={retry} />;
  if (loaded.value.length === 0)
    return (
      <p class="quiet">
        No links yet. Create one, then try it in a private window: you see what others see, and you can revoke it here.
      </p>
    );
  return (
    <section class="shares" aria-label="Links">
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
  share: { share_id: id, redact, votes, created_at: created, expires_at: expires, views },
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
        {votes && '; takes votes'}
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

async function sharesOf(subject: string, signal: AbortSignal): Promise<Share[]> {
  const shares: Share[] = [];
  for await (const share of client().shares.list({ subject }, { signal }))
    if (share.status === 'live') shares.push(share);
  return shares;
}
