import { Dialog } from '../parts/dialog';

interface SureDialogProps {
  title: string;
  /** The consequences of the act. */
  text: string;
  /** The label of the button that does it. */
  act: string;
  problem: string;
  onAct: () => void;
  onClose: () => void;
}

/** Asks before an act that cannot be taken back; keeping the experiment is the default. */
export function SureDialog({ title, text, act, problem, onAct, onClose }: SureDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <p class="problem" role="alert">
        {problem}
      </p>
      <div class="dialog-foot">
        <button type="button" autofocus onClick={onClose}>
          Keep it
        </button>
        <button type="button" class="button-danger" onClick={onAct}>
          {act}
        </button>
      </div>
    </Dialog>
  );
}
