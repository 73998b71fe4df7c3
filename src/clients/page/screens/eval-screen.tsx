import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { Eval } from '../../client/client';
import type { BarAction } from '../compare/answer-actions';
import { Answers } from '../compare/answers';
import { evalActions } from '../compare/eval-actions';
import { sourceOfEval } from '../compare/live-run';
import { EraseDialog } from '../eval/erase-dialog';
import { Drift, EarlierEval, RerunDialog } from '../eval/drift-parts';
import { EvalFacts } from '../eval/eval-facts';
import { EvalNote } from '../eval/eval-note';
import { Banner } from '../parts/banner';
import { FailedLoad } from '../parts/failed-load';
import { Fold } from '../parts/fold';
import { MissingScope } from '../parts/missing-scope';
import { ScreenTitle } from '../parts/screen-title';
import { Skeleton } from '../parts/skeleton';
import { client, hasScope } from '../session';
import { useLoaded } from '../use-loaded';

/** One stored eval: what was asked, and the answers side by side. */
export function EvalScreen({ id }: { id: string }) {
  if (!hasScope('evals:read'))
    return (
      <section class="eval-head">
        <ScreenTitle title="Eval" />
        <MissingScope scope="evals:read" purpose="to show past evals" />
      </section>
    );
  return <LoadedEval id={id} />;
}

function LoadedEval({ id }: { id: string }) {
  const { state, retry } = useLoaded(
    (signal) =>
      client().evals.get(id, { details: true, checks: true, statistics: true, preference: true, note: true, signal }),
    [id],
  );
  const loaded = state.value;
  if (loaded.kind === 'loaded') return <ShownEval stored={loaded.value} />;
  return (
    <section class="eval-head">
      <ScreenTitle title="Eval" />
      {loaded.kind === 'loading' && <Skeleton lines={6} />}
      {loaded.kind === 'failed' &&
        (loaded.error.status === 404 ? <Unknown /> : <FailedLoad error={loaded.error} onRetry={retry} />)}
    </section>
  );
}

function Unknown() {
  return (
    <Banner kind="warning">
      <span>There is no eval at this address: it was erased, belongs to another user, or never existed.</span>{' '}
      <a href="/history">To the history</a>
    </Banner>
  );
}

function ShownEval({ stored }: { stored: Eval }) {
  const { prompt, details } = stored;
  const dialog = useSignal<'erase' | 'rerun' | undefined>(undefined);
  const later = useSignal<Eval | undefined>(undefined);
  const source = useMemo(() => sourceOfEval(stored), [stored]);
  const close = (): void => {
    dialog.value = undefined;
  };
  const show = (rerun: Eval): void => {
    close();
    later.value = rerun;
  };
  const more: readonly BarAction[] = [
    ...(hasScope('compare')
      ? [
          {
            label: 'Run again, show changes',
            title: 'Run this eval again and see what has changed',
            run: () => {
              dialog.value = 'rerun';
            },
          },
        ]
      : []),
    {
      label: 'Erase',
      title: 'Erase this eval',
      run: () => {
        dialog.value = 'erase';
      },
      isDanger: true,
    },
  ];
  const findings = (
    <>
      {later.value !== undefined && (
        <section class="finding" aria-label="What has changed">
          <h2>What has changed</h2>
          <Drift key={later.value.eval_id} after={later.value} against={stored.eval_id} />
        </section>
      )}
      <Fold class="finding" summary={<h2>What has changed since an earlier eval?</h2>}>
        {() => <EarlierEval stored={stored} />}
      </Fold>
    </>
  );
  return (
    <Answers
      source={source}
      options={details?.options}
      actions={{ ...evalActions(stored), more }}
      asked={{
        prompt,
        input: details?.input,
        system: details?.options.system,
        format: details?.options.response_format,
      }}
      facts={
        <>
          <EvalFacts stored={stored} />
          <EvalNote stored={stored} />
        </>
      }
      lead={<ScreenTitle title="Eval" />}
      findings={findings}
    >
      <div>
        {dialog.value === 'erase' && <EraseDialog stored={stored} onClose={close} />}
        {dialog.value === 'rerun' && <RerunDialog stored={stored} onClose={close} onDone={show} />}
      </div>
    </Answers>
  );
}
