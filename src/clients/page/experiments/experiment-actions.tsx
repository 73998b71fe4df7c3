import { useSignal } from '@preact/signals';
import type { Experiment, ExperimentChange } from '../../client/client';
import { DECIMAL } from '../compare/form/form-content';
import { Dialog } from '../parts/dialog';
import { problemOf } from '../requests';
import { client } from '../session';
import { OwnField } from './own-field';
import { SureDialog } from './sure-dialog';
import { isEnded } from './words';

interface ActionsProps {
  experiment: Experiment;
  /** True if some model gave no answer. */
  isMissing: boolean;
  /** True in the list, where it can only go on. */
  isInList?: boolean;
  onChanged: (changed: Experiment) => void;
}

/** Pauses, resumes, cancels and retries an experiment, and raises its cap. */
export function ExperimentActions({ experiment, isMissing, isInList = false, onChanged }: ActionsProps) {
  const { experiment_id: id, state, max_cost_usd: cap } = experiment;
  const dialog = useSignal<'cap' | 'end' | undefined>(undefined);
  const problem = useSignal('');
  const show = (name?: 'cap' | 'end'): void => {
    [dialog.value, problem.value] = [name, ''];
  };
  const change = async (body: ExperimentChange): Promise<void> => {
    problem.value = await problemOf(async () => {
      onChanged(await client().experiments.change(id, body));
      dialog.value = undefined;
    });
  };
  return (
    <div class="experiment-actions">
      {!isEnded(experiment) && (
        <OpenActions experiment={experiment} isInList={isInList} change={change} onDialog={show} />
      )}
      {isMissing && (state === 'finished' || state === 'paused') && (
        <RetryButton onRetry={() => void change({ retry: 'missing' })} />
      )}
      {dialog.value === undefined && (
        <span class="problem" role="alert">
          {problem.value}
        </span>
      )}
      {dialog.value === 'cap' && (
        <CapDialog
          cap={cap}
          problem={problem.value}
          onCap={(raised) => {
            if (raised === undefined) problem.value = 'The cap must be an amount in dollars, such as 4.';
            else void change({ max_cost_usd: raised });
          }}
          onClose={() => show()}
        />
      )}
      {dialog.value === 'end' && (
        <SureDialog
          title="Cancel this experiment?"
          text="Rows that run now end and are charged. No further row ever runs."
          act="Cancel the experiment"
          problem={problem.value}
          // eslint-disable-next-line local/plain-words -- the word of the interface
          onAct={() => void change({ state: 'cancelled' })}
          onClose={() => show()}
        />
      )}
    </div>
  );
}

function RetryButton({ onRetry }: { onRetry: () => void }) {
  return (
    <button type="button" title="Asks only the models that gave no answer, and charges only that" onClick={onRetry}>
      Retry what is missing
    </button>
  );
}

interface OpenActionsProps extends Required<Pick<ActionsProps, 'experiment' | 'isInList'>> {
  change: (body: ExperimentChange) => Promise<void>;
  onDialog: (name: 'cap' | 'end') => void;
}

/** One button pauses and resumes, so that the focus stays on it. */
function OpenActions({ experiment: { state, reason }, isInList, change, onDialog }: OpenActionsProps) {
  const isCapReached = reason === 'cap_reached';
  return (
    <>
      {!isCapReached && (
        <button type="button" onClick={() => void change({ state: state === 'running' ? 'paused' : 'running' })}>
          {state === 'running' ? 'Pause' : 'Resume'}
        </button>
      )}
      {(isCapReached || !isInList) && (
        <button type="button" class={isCapReached ? 'button-primary' : ''} onClick={() => onDialog('cap')}>
          Raise the cap
        </button>
      )}
      {!isInList && (
        <button type="button" class="button-danger" onClick={() => onDialog('end')}>
          Cancel
        </button>
      )}
    </>
  );
}

function CapDialog({
  cap,
  problem,
  onCap,
  onClose,
}: {
  cap: string;
  problem: string;
  onCap: (cap: number | undefined) => void;
  onClose: () => void;
}) {
  const text = useSignal(cap);
  const submit = (event: Event): void => {
    event.preventDefault();
    const typed = text.value.trim();
    onCap(DECIMAL.test(typed) ? Number(typed) : undefined);
  };
  return (
    <Dialog title="Raise the cap" onClose={onClose}>
      <form class="experiment-cap" noValidate onSubmit={submit}>
        <OwnField
          id="new-cap"
          label="Cap, $"
          hint="for the model cost of all rows"
          value={text.value}
          problem={problem === '' ? undefined : problem}
          onInput={(next) => {
            text.value = next;
          }}
        />
        <div class="dialog-foot">
          <button type="button" onClick={onClose}>
            Keep the cap
          </button>
          <button type="submit" class="button-primary">
            Set the cap
          </button>
        </div>
      </form>
    </Dialog>
  );
}
