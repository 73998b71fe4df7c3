import { useSignal } from '@preact/signals';
import { CompareError, type Eval } from '../../client/client';
import { announce } from '../parts/status-line';
import { client } from '../session';

const MAX_NOTE_CHARACTERS = 1000;

/** The star and the note of an eval, which all keys of the user share. */
export function EvalNote({ stored }: { stored: Eval }) {
  const kept = useSignal({ note: stored.note ?? null, starred: stored.starred ?? false });
  const isWriting = useSignal(false);
  const text = useSignal(kept.peek().note ?? '');
  const problem = useSignal('');
  const save = async (change: { note?: string | null; starred?: boolean }): Promise<void> => {
    try {
      kept.value = await client().evals.annotate(stored.eval_id, change);
      isWriting.value = false;
      problem.value = '';
      announce('Kept');
    } catch (error) {
      if (!(error instanceof CompareError)) throw error;
      problem.value = error.status === 404 ? 'This eval was erased.' : error.message;
    }
  };
  const { note, starred } = kept.value;
  return (
    <div class="eval-note">
      <button type="button" class="star" aria-pressed={starred} aria-label="Star" title={starred ? 'Take the star' : 'Star this eval'} onClick={() => void save({ starred: !starred })}><span aria-hidden="true">{starred ? '★' : '☆'}</span></button>
      {isWriting.value
        ? (
            <form class="eval-note-form" onSubmit={(event) => { event.preventDefault(); void save({ note: text.value.trim() === '' ? null : text.value.trim() }); }}>
              <textarea rows={2} aria-label="Note" dir="auto" maxLength={MAX_NOTE_CHARACTERS} value={text.value} onInput={(event) => { text.value = event.currentTarget.value; }} ref={focusOnce} />
              <button type="submit">Save</button>
              <button type="button" class="button-quiet" onClick={() => { isWriting.value = false; }}>Cancel</button>
            </form>
          )
        : <>{note !== null && <bdi class="eval-note-text">{note}</bdi>}<button type="button" class="button-quiet" onClick={() => { text.value = note ?? ''; isWriting.value = true; }}>{note === null ? 'Add a note' : 'Change the note'}</button></>}
      <p class="problem" role="alert">{problem.value}</p>
    </div>
  );
}

function focusOnce(element: HTMLElement | null): void {
  element?.focus();
}
