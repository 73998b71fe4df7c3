import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { CompareError, type Experiment, type ExperimentChange } from '../../client/client';
import { DECIMAL } from '../compare/form-content';
import { Dialog } from '../parts/dialog';
import { client } from '../session';
import { OwnField } from './own-field';
import { isEnded } from './words';

interface ActionsProps {
  experiment: Experiment;
  /** True if some model gave no answer. */
  isMissing: boolean;
  onChanged: (changed: Experiment) => void;
}

/** Pauses, resumes, cancels and retries an experiment, and raises its cap. */
export function ExperimentActions({ experiment, isMissing, onChanged }: ActionsProps) {
  const { experiment_id: id, state, reason } = experiment;
  const dialog = useSignal<'cap' | 'end' | undefined>(undefined);
  const isSending = useSignal(false);
  const problem = useSignal('');
  const close = (): void => {
    dialog.value = undefined;
    problem.value = '';
  };
  const change = async (body: ExperimentChange): Promise<void> => {
    if (isSending.value) return;
    [isSending.value, problem.value] = [true, ''];
    try {
      onChanged(await client().experiments.change(id, body));
      close();
    } catch (error) {
      if (!(error instanceof CompareError)) throw error;
      problem.value = error.message;
    } finally {
      isSending.value = false;
    }
  };
  const isCapReached = reason === 'cap_reached';
  const isRunning = state === 'running';
  const mayRetry = isMissing && (state === 'finished' || state === 'paused');
  if (isEnded(experiment) && !mayRetry) return null;
  return (
    <div class="experiment-actions">
      {!isEnded(experiment) && (
        <>
          {/* One button for both, so that the focus stays on it. */}
          <button type="button" aria-disabled={isSending.value} hidden={isCapReached} onClick={() => void change({ state: isRunning ? 'paused' : 'running' })}>{isRunning ? 'Pause' : 'Resume'}</button>
          <button type="button" class={isCapReached ? 'button-primary' : ''} onClick={() => { dialog.value = 'cap'; }}>Raise the cap</button>
        </>
      )}
      {mayRetry && <button type="button" aria-disabled={isSending.value} title="Asks only the models that gave no answer, and charges only that" onClick={() => void change({ retry: 'missing' })}>Retry what is missing</button>}
      {!isEnded(experiment) && <button type="button" class="button-danger" onClick={() => { dialog.value = 'end'; }}>Cancel</button>}
      {dialog.value === undefined && <span class="problem" role="alert">{problem.value}</span>}
      {dialog.value === 'cap' && <CapDialog cap={experiment.max_cost_usd} problem={problem.value} onRaise={(cap) => void change({ max_cost_usd: cap })} onClose={close} />}
      {/* eslint-disable-next-line local/plain-words -- the word of the interface */}
      {dialog.value === 'end' && <EndDialog problem={problem.value} onEnd={() => void change({ state: 'cancelled' })} onClose={close} />}
    </div>
  );
}

function CapDialog({ cap, problem, onRaise, onClose }: { cap: string; problem: string; onRaise: (cap: number) => void; onClose: () => void }) {
  const text = useSignal(cap);
  const own = useSignal('');
  const raise = (event: Event): void => {
    event.preventDefault();
    own.value = DECIMAL.test(text.value.trim()) ? '' : 'The cap must be an amount in dollars, such as 4.';
    if (own.value === '') onRaise(Number(text.value.trim()));
  };
  useEffect(() => document.getElementById('new-cap')?.focus(), []);
  const shown = own.value === '' ? problem : own.value;
  return (
    <Dialog title="Raise the cap" onClose={onClose}>
      <form class="experiment-cap" noValidate onSubmit={raise}>
        <OwnField id="new-cap" label="Cap, $" hint="model cost of all rows" isNumber value={text.value} problem={shown === '' ? undefined : shown} onInput={(next) => { text.value = next; }} />
        <div class="dialog-foot">
          <button type="button" onClick={onClose}>Keep the cap</button>
          <button type="submit" class="button-primary">Set the cap</button>
        </div>
      </form>
    </Dialog>
  );
}

/** The focus is on what changes nothing. */
function EndDialog({ problem, onEnd, onClose }: { problem: string; onEnd: () => void; onClose: () => void }) {
  const keep = useRef<HTMLButtonElement>(null);
  useEffect(() => keep.current?.focus(), []);
  return (
    <Dialog title="Cancel this experiment?" onClose={onClose}>
      <p>Rows that run now end and are charged. What is there stays; no further row ever runs.</p>
      <p class="problem" role="alert">{problem}</p>
      <div class="dialog-foot">
        <button type="button" ref={keep} onClick={onClose}>Let it go on</button>
        <button type="button" class="button-danger" onClick={onEnd}>Cancel the experiment</button>
      </div>
    </Dialog>
  );
}
