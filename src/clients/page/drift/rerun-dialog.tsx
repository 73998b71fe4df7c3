import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { CompareError, type Eval } from '../../client/client';
import { monotonicMs } from '../clock';
import { Elapsed } from '../compare/answers/elapsed';
import { samplesOf } from '../compare/evaluated';
import { estimateText } from '../compare/form/estimate';
import { contentOfEval } from '../compare/form/eval-content';
import { requestOf } from '../compare/form/form-content';
import { refusalText } from '../compare/form/refusal';
import { Dialog } from '../parts/dialog';
import { announce } from '../parts/notices';
import { useLoaded } from '../requests';
import { client, refreshKey } from '../session';

/** The number of retries of a lost request while the run goes on. */
const MAX_RETRIES = 5;

interface RerunProps {
  stored: Eval;
  onClose: () => void;
  /** The new eval. */
  onDone: (later: Eval) => void;
}

/** Says what running an eval again will cost, and runs it. The run goes on when the dialog is closed. */
export function RerunDialog({ stored, onClose, onDone }: RerunProps) {
  const startedAt = useSignal<number | undefined>(undefined);
  const problem = useSignal('');
  const cancel = useRef<HTMLButtonElement>(null);
  useEffect(() => cancel.current?.focus(), []);
  const run = async (): Promise<void> => {
    startedAt.value = monotonicMs();
    problem.value = '';
    // The button that has the focus can do nothing meanwhile.
    cancel.current?.focus();
    announce('Running the eval again');
    try {
      onDone(await runAgain(stored));
      announce('The eval was run again');
    } catch (error) {
      if (!(error instanceof CompareError)) throw error;
      problem.value = refusalText(error).lines.join(' ');
    } finally {
      startedAt.value = undefined;
      void refreshKey();
    }
  };
  const isRunning = startedAt.value !== undefined;
  return (
    <Dialog title="Run this eval again?" onClose={onClose}>
      <p>
        Runs the same prompt, models, options, samples and checks as a new eval. Then you see what has changed. This
        eval is not modified.
      </p>
      <Price stored={stored} />
      <p class="problem" role="alert">
        {problem.value}
      </p>
      {startedAt.value !== undefined && (
        <p>
          Running · <Elapsed since={startedAt.value} />. If you close this, the run continues and will appear in the
          history.
        </p>
      )}
      <div class="dialog-foot">
        <button type="button" ref={cancel} onClick={onClose}>
          {isRunning ? 'Close' : 'Cancel'}
        </button>
        <button type="button" class="button-primary" disabled={isRunning} onClick={() => void run()}>
          Run again
        </button>
      </div>
    </Dialog>
  );
}

/**
 * Several rounds take longer than one request may: those the service runs by itself, and the page asks now and then.
 */
async function runAgain({ eval_id: id, details }: Eval): Promise<Eval> {
  const { evals, runs } = client();
  const included = { details: true, checks: true, statistics: true };
  if (samplesOf(details?.options) === 1) return await evals.rerun(id, included);
  const { run_id: runId } = await runs.rerun(id);
  return await runs.eval(runId, { ...included, maxRetries: MAX_RETRIES });
}

function Price({ stored }: { stored: Eval }) {
  const { state } = useLoaded(
    async (signal) => {
      const made = requestOf(contentOfEval(stored));
      if ('problems' in made) throw new CompareError('The cost is not known.', { code: 'unexpected_answer' });
      return await client().estimate(made.body, { signal });
    },
    [stored.eval_id],
  );
  const loaded = state.value;
  if (loaded.kind === 'loading') return <p class="estimate quiet">Estimating the price …</p>;
  if (loaded.kind === 'failed') return <p class="estimate quiet">No estimate: {loaded.error.message}</p>;
  const { text, title } = estimateText(loaded.value, false);
  return (
    <p class="estimate" title={title}>
      {text}
    </p>
  );
}
