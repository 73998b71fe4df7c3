import { useSignal } from '@preact/signals';
import type { AnnotationRequest, Eval } from '../../client/client';
import { samplesOf } from '../compare/evaluated';
import { isNothing } from '../money';
import { announce } from '../parts/notices';
import { Amount, LocalTime } from '../parts/values';
import { problemOf } from '../requests';
import { experimentPath } from '../routes';
import { client } from '../session';

/** The time, the options and the charge of an eval. */
export function EvalFacts({ stored: { meta, details } }: { stored: Eval }) {
  return (
    <dl class="eval-facts">
      <div>
        <dt>Asked</dt>
        <dd>
          <LocalTime timestamp={meta.created_at} />
        </dd>
      </div>
      {details !== undefined && <Options {...details} />}
    </dl>
  );
}

function Options({ options, charge_usd: charge, free, experiment_id: experiment }: NonNullable<Eval['details']>) {
  const samples = samplesOf(options);
  return (
    <>
      <div>
        <dt>Temperature</dt>
        <dd>{options.temperature}</dd>
      </div>
      <div>
        <dt>Max tokens</dt>
        <dd>{options.max_tokens}</dd>
      </div>
      {options.reasoning_effort !== undefined && (
        <div>
          <dt>Effort</dt>
          <dd>{options.reasoning_effort}</dd>
        </div>
      )}
      {options.reasoning_tokens !== undefined && (
        <div>
          <dt>Room for thought</dt>
          <dd>{options.reasoning_tokens}</dd>
        </div>
      )}
      {options.exact_model === true && (
        <div>
          <dt>Exact model</dt>
          <dd>required</dd>
        </div>
      )}
      {samples > 1 && (
        <div>
          <dt>Samples</dt>
          <dd>{samples}</dd>
        </div>
      )}
      <div>
        <dt>Charged</dt>
        <dd>{free ? 'nothing: a free eval' : isNothing(charge) ? 'nothing' : <Amount exact={charge} />}</dd>
      </div>
      {experiment !== undefined && (
        <div>
          <dt>Row of</dt>
          <dd>
            <a href={experimentPath(experiment)}>an experiment</a>
          </dd>
        </div>
      )}
    </>
  );
}

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

/** Sets or takes the star of an eval. */
export function Star({ starred, label, onToggle }: { starred: boolean; label: string; onToggle: () => void }) {
  return (
    <button
      type="button"
      class="star"
      aria-pressed={starred}
      aria-label={label}
      title={starred ? 'Take the star' : 'Star this eval'}
      onClick={onToggle}
    >
      <span aria-hidden="true">{starred ? '★' : '☆'}</span>
    </button>
  );
}
