import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Eval } from '../../client/client';
import { Dialog } from '../parts/dialog';
import { announce } from '../parts/status-line';
import { problemOf } from '../problem';
import { navigate } from '../router';
import { client } from '../session';

/** Asks before an eval is erased. The focus is on Keep. */
export function EraseDialog({ stored: { eval_id: id }, onClose }: { stored: Eval; onClose: () => void }) {
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
