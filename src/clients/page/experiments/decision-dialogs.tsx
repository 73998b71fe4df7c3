import { type Signal, useSignal } from '@preact/signals';
import type { Experiment } from '../../client/client';
import { Dialog } from '../parts/dialog';

interface DecideDialogProps {
  experiment: Experiment;
  proposed: string;
  problem: string;
  onDecide: (model: string, reason: string) => void;
  onWithdraw: () => void;
  onClose: () => void;
}

export function DecideDialog({ experiment, proposed, problem, onDecide, onWithdraw, onClose }: DecideDialogProps) {
  const { models, decision } = experiment;
  const model = useSignal(proposed);
  const reason = useSignal(decision?.reason ?? '');
  return (
    <Dialog title="Decide" onClose={onClose}>
      <form
        class="experiment-cap"
        onSubmit={(event) => {
          event.preventDefault();
          onDecide(model.value, reason.value.trim());
        }}
      >
        <ModelChoice models={models} model={model} />
        <Reason reason={reason} />
        <p class="problem" role="alert">
          {problem}
        </p>
        <div class="dialog-foot">
          {decision !== null && (
            <button type="button" onClick={onWithdraw}>
              Take it back
            </button>
          )}
          <button type="submit" class="button-primary">
            Keep the decision
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function ModelChoice({ models, model }: { models: readonly string[]; model: Signal<string> }) {
  return (
    <div class="field">
      <label for="decision-model">Take</label>
      <select
        id="decision-model"
        value={model.value}
        onChange={(event) => void (model.value = event.currentTarget.value)}
      >
        {models.map((one) => (
          <option key={one}>{one}</option>
        ))}
        <option value="none">none of them</option>
      </select>
    </div>
  );
}

function Reason({ reason }: { reason: Signal<string> }) {
  return (
    <div class="field">
      <label for="decision-reason">Reason, optional</label>
      <textarea
        id="decision-reason"
        rows={3}
        maxLength={2000}
        dir="auto"
        value={reason.value}
        onInput={(event) => void (reason.value = event.currentTarget.value)}
      />
    </div>
  );
}
