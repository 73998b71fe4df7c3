import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
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
        <Choice id="decision-model" label="Take" value={model}>
          {models.map((one) => (
            <option key={one}>{one}</option>
          ))}
          <option value="none">none of them</option>
        </Choice>
        <Text id="decision-reason" label="Reason, optional" value={reason} maxLength={2000} />
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

interface FieldProps {
  id: string;
  label: string;
  value: Signal<string>;
}

/** One of the options that are its children. */
export function Choice({ id, label, value, children }: FieldProps & { children: ComponentChildren }) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => void (value.value = event.currentTarget.value)}>
        {children}
      </select>
    </div>
  );
}

/** A text of some lines. */
export function Text({ id, label, value, ...rest }: FieldProps & { maxLength: number; placeholder?: string }) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        {...rest}
        id={id}
        rows={3}
        dir="auto"
        value={value}
        onInput={(event) => void (value.value = event.currentTarget.value)}
      />
    </div>
  );
}
