import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
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
      <Fact name="Asked">
        <LocalTime timestamp={meta.created_at} />
      </Fact>
      {details !== undefined && <Options {...details} />}
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Options({ options, charge_usd: charge, free, experiment_id: experiment }: NonNullable<Eval['details']>) {
  const samples = samplesOf(options);
  return (
    <>
      <Fact name="Temperature">{options.temperature}</Fact>
      <Fact name="Max tokens">{options.max_tokens}</Fact>
      {options.reasoning_effort !== undefined && <Fact name="Effort">{options.reasoning_effort}</Fact>}
      {options.reasoning_tokens !== undefined && <Fact name="Room for thought">{options.reasoning_tokens}</Fact>}
      {options.exact_model === true && <Fact name="Exact model">required</Fact>}
      {samples > 1 && <Fact name="Samples">{samples}</Fact>}
      <Fact name="Charged">
        {free ? 'nothing: a free eval' : isNothing(charge) ? 'nothing' : <Amount exact={charge} />}
      </Fact>
      {experiment !== undefined && (
        <Fact name="Row of">
          <a href={experimentPath(experiment)}>an experiment</a>
        </Fact>
      )}
    </>
  );
}

const MAX_NOTE_CHARACTERS = 1000;

/** The star and the note of an eval, which all keys of the user share. */
export function EvalNote({ stored }: { stored: Eval }) {
  const kept = useSignal({ note: stored.note ?? null, starred: stored.starred ?? false });
  const isWriting = useSignal(false);
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
        <NoteForm
          note={note}
          onSave={(written) => void save({ note: written })}
          onCancel={() => {
            isWriting.value = false;
          }}
        />
      ) : (
        <>
          {note !== null && <bdi class="eval-note-text">{note}</bdi>}
          <button
            type="button"
            class="button-quiet"
            onClick={() => {
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

function NoteForm({
  note,
  onSave,
  onCancel,
}: {
  note: string | null;
  onSave: (note: string | null) => void;
  onCancel: () => void;
}) {
  const text = useSignal(note ?? '');
  return (
    <form
      class="eval-note-form"
      onSubmit={(event) => {
        event.preventDefault();
        onSave(text.value.trim() === '' ? null : text.value.trim());
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
      <button type="button" class="button-quiet" onClick={onCancel}>
        Cancel
      </button>
    </form>
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
