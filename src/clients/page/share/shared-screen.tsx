import { useMemo } from 'preact/hooks';
import type { SharedEval } from '../../client/client';
import { Answers } from '../compare/answers/answers';
import { sourceOfEval } from '../compare/run/live-run';
import { AgreementMatrix } from '../evaluation/agreement';
import { EvaluationSummary } from '../evaluation/evaluation-summary';
import { Banner, Skeleton } from '../parts/notices';
import { FailedLoad } from '../parts/placeholders';
import { ScreenTitle } from '../parts/screen-title';
import { LocalTime } from '../parts/values';
import { useLoaded } from '../requests';
import { publicClient } from '../session';
import { SharedExperimentScreen } from './shared-experiment';
import { evalOfShare, redactionText } from './shares';

// People who see what is shared may also vote.
export { SharedVoteScreen } from '../experiments/vote-screen';

/** An eval or an experiment that somebody shares by a link, for people without a key. */
export function SharedScreen({ id: token }: { id: string }) {
  const { state, retry } = useLoaded((signal) => publicClient().shares.open(token, { signal }), [token]);
  const loaded = state.value;
  if (loaded.kind === 'loaded')
    return 'summary' in loaded.value ? (
      <SharedExperimentScreen shared={loaded.value} token={token} />
    ) : (
      <Shared shared={loaded.value} />
    );
  return (
    <section class="eval-head">
      <ScreenTitle title="Shared" />
      {loaded.kind === 'loading' && <Skeleton lines={6} />}
      {loaded.kind === 'failed' &&
        (loaded.error.status === 404 ? (
          <Banner kind="warning">{loaded.error.message}</Banner>
        ) : (
          <FailedLoad error={loaded.error} onRetry={retry} />
        ))}
    </section>
  );
}

function Shared({ shared }: { shared: SharedEval }) {
  const { prompt, input, system, history, reasoning_effort: effort, meta, expires_at: expiresAt } = shared;
  const { redacted, agreement } = shared;
  const stored = useMemo(() => evalOfShare(shared), [shared]);
  const source = useMemo(() => sourceOfEval(stored), [stored]);
  return (
    <Answers
      source={source}
      actions={{}}
      asked={{ prompt, input, system, history }}
      lead={<ScreenTitle title="Shared eval" />}
      facts={
        <p class="quiet">
          Asked <LocalTime timestamp={meta.created_at} />
          {effort !== undefined && ` · Effort ${effort}`}
        </p>
      }
      isShared
    >
      <div class="eval-head">
        <p class="quiet">
          Someone shared this comparison of language models with you. The link {redactionText(redacted)} and expires{' '}
          <LocalTime timestamp={expiresAt} />.
        </p>
      </div>
      <EvaluationSummary stored={stored} />
      {stored.models.length > 1 && (
        <details class="finding">
          <summary>
            <h2>Do the models agree?</h2>
          </summary>
          <AgreementMatrix answer={agreement} />
        </details>
      )}
    </Answers>
  );
}
