import { useSignal } from '@preact/signals';
import type { AnnotationRequest, Eval } from '../../client/client';
import { Star } from '../parts/star';
import { announce } from '../parts/status-line';
import { problemOf } from '../problem';
import { client } from '../session';

const MAX_NOTE_CHARACTERS = 1000;

/** The star and the note of an eval, which all keys of the user share. */
export function EvalNote({ stored }: { stored: Eval }) {
  const kept = useSignal({ note: stored.note ?? null, starred: stored.starred ?? false });
  const isWriting = useSignal(false);
  const text = useSignal(kept.peek().note ?? '');
  const problem = useSignal('');
  const save = async (change: AnnotationRequest): Promise<void> => {
    problem.value = await problemOf(async () => {
      kept.value = await client().evals.annotate(stored.eval_id, change);
      isWriting.value = false;
      announce('Kept');
    }, 'This eval was erased.');
  };
  const { note, starred } = kept.value;
  return (
    <div class="eval-note">
      <Star starred={starred} label="Star" onToggle={() => void save({ starred: !starred })} />
      {isWriting.value ? (
        <form
          class="eval-note-form"
          onSubmit={(event) => {
            event.preventDefault();
            void save({ note: text.value.trim() === '' ? null : text.value.trim() });
          }}
        >
          <textarea
            rows={2}
            aria-label="Note"
            dir="auto"
            maxLength={MAX_NOTE_CHARACTERS}
            value={text.value}
            onInput={(event) => {
              text.value = event.currentTarget.value;
            }}
            ref={focusOnce}
          />
          <button type="submit">Save</button>
          <button
            type="button"
            class="button-quiet"
            onClick={() => {
              isWriting.value = false;
            }}
          >
            Cancel
          </button>
        </form>
      ) : (
        <>
          {note !== null && <bdi class="eval-note-text">{note}</bdi>}
          <button
            type="button"
            class="button-quiet"
            onClick={() => {
              text.value = note ?? '';
              isWriting.value = true;
            }}
          >
            {note === null ? 'Add a note' : 'Change the note'}
          </button>
        </>
      )}
      <p class="problem" role="alert">
        {problem.value}
      </p>
    </div>
  );
}

function focusOnce(element: HTMLElement | null): void {
  element?.focus();
}
