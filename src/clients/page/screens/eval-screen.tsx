import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Eval } from '../../client/client';
import { Drift, EarlierEval, RerunDialog } from '../chunks';
import { type BarAction, evalActions } from '../compare/answers/answer-actions';
import { Answers } from '../compare/answers/answers';
import { sourceOfEval } from '../compare/run/live-run';
import { EvalFacts, EvalNote } from '../eval/eval-facts';
import { Fold } from '../parts/fold';
import { Dialog } from '../parts/dialog';
import { announce, Banner, MissingScope, Skeleton } from '../parts/notices';
import { FailedLoad } from '../parts/placeholders';
import { ScreenTitle } from '../parts/screen-title';
import { problemOf, useLoaded } from '../requests';
import { navigate } from '../router';
import { client, hasScope } from '../session';

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
  return (
    <Answers
      source={source}
      options={details?.options}
      actions={{
        ...evalActions(stored),
        more: moreActions((name) => {
          dialog.value = name;
        }),
      }}
      asked={{
        prompt,
        input: details?.input,
        system: details?.options.system,
        history: details?.options.history,
        format: details?.options.response_format,
      }}
      facts={
        <>
          <EvalFacts stored={stored} />
          <EvalNote stored={stored} />
        </>
      }
      lead={<ScreenTitle title="Eval" />}
      findings={<Changes stored={stored} later={later.value} />}
    >
      <div>
        {dialog.value === 'erase' && <EraseDialog stored={stored} onClose={close} />}
        {dialog.value === 'rerun' && <RerunDialog stored={stored} onClose={close} onDone={show} />}
      </div>
    </Answers>
  );
}

function moreActions(open: (dialog: 'erase' | 'rerun') => void): BarAction[] {
  const rerun: BarAction = {
    label: 'Run again, show changes',
    title: 'Run this eval again and see what has changed',
    run: () => open('rerun'),
    isMain: true,
  };
  return [
    ...(hasScope('compare') ? [rerun] : []),
    { label: 'Erase', title: 'Erase this eval', run: () => open('erase'), isDanger: true },
  ];
}

/** The changes by a rerun, and since an earlier eval. */
function Changes({ stored, later }: { stored: Eval; later: Eval | undefined }) {
  return (
    <>
      {later !== undefined && (
        <section class="finding" aria-label="What has changed">
          <h2>What has changed</h2>
          <Drift key={later.eval_id} after={later} against={stored.eval_id} />
        </section>
      )}
      <Fold class="finding" summary={<h2>What has changed since an earlier eval?</h2>}>
        {() => <EarlierEval stored={stored} />}
      </Fold>
    </>
  );
}

/** Asks before an eval is erased. The focus is on Keep. */
function EraseDialog({ stored: { eval_id: id }, onClose }: { stored: Eval; onClose: () => void }) {
  const keep = useRef<HTMLButtonElement>(null);
  const isErasing = useSignal(false);
  const problem = useSignal('');
  useEffect(() => keep.current?.focus(), []);
  const erase = async (): Promise<void> => {
    isErasing.value = true;
    problem.value = await eraseEval(id);
    isErasing.value = false;
  };
  return (
    <Dialog title="Erase this eval?" onClose={onClose}>
      <p>Its prompt, its input and all answers are deleted permanently. Its charge stays on the statement.</p>
      <p class="problem" role="alert">
        {problem.value}
      </p>
      <div class="dialog-foot">
        <button type="button" ref={keep} onClick={onClose}>
          Keep
        </button>
        <button type="button" class="button-danger" disabled={isErasing.value} onClick={() => void erase()}>
          Erase
        </button>
      </div>
    </Dialog>
  );
}

/** Erases and goes to the history; otherwise what went wrong. An eval that is already gone was erased elsewhere. */
async function eraseEval(id: string): Promise<string> {
  const problem = await problemOf(() => client().evals.erase(id), '');
  if (problem === '') {
    announce('The eval was erased');
    navigate('/history');
  }
  return problem;
}
