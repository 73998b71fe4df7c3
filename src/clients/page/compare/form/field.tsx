import type { ComponentChildren } from 'preact';
import type { FieldName } from './form-content';
import { changeForm, fieldId, fieldProblems, formContent } from './form-state';

interface FieldProps {
  field: Exclude<FieldName, 'models' | 'checks' | 'history'>;
  label: string;
  hint?: ComponentChildren;
}

/** A text of several lines, with its hint beside the label. It grows with what is written. */
export function TextField({
  field,
  label,
  hint,
  rows,
  placeholder,
}: FieldProps & { rows: number; placeholder?: string }) {
  const { id, problem, ...control } = controlOf(field, hint);
  return (
    <FieldFrame
      id={id}
      label={label}
      beside={
        hint !== undefined && (
          <span id={`${id}-hint`} class="quiet">
            {hint}
          </span>
        )
      }
      problem={problem}
    >
      <textarea
        id={id}
        {...control}
        rows={rows}
        dir="auto"
        placeholder={placeholder}
        onInput={(event) => changeForm({ [field]: event.currentTarget.value })}
      />
    </FieldFrame>
  );
}

/** A number, typed as text so that nothing is changed while it is typed. */
export function NumberField({
  field,
  label,
  hint,
  placeholder,
  help,
}: FieldProps & { placeholder: string; help?: ComponentChildren }) {
  const { id, problem, ...control } = controlOf(field, hint);
  return (
    <FieldFrame id={id} label={label} beside={help} note={hint} problem={problem}>
      <input
        id={id}
        {...control}
        type="text"
        inputMode="decimal"
        autocomplete="off"
        placeholder={placeholder}
        onInput={(event) => changeForm({ [field]: event.currentTarget.value })}
      />
    </FieldFrame>
  );
}

/** One of a few values, or none of them. */
export function ChoiceField({
  field,
  label,
  hint,
  choices,
  empty,
}: FieldProps & { choices: readonly string[]; empty: string }) {
  const { id, problem, ...control } = controlOf(field, hint);
  return (
    <FieldFrame id={id} label={label} note={hint} problem={problem}>
      <select id={id} {...control} onChange={(event) => changeForm({ [field]: event.currentTarget.value })}>
        <option value="">{empty}</option>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    </FieldFrame>
  );
}

interface FrameProps {
  /** The id of the control. */
  id: string;
  label: string;
  /** Shown beside the label. */
  beside?: ComponentChildren;
  /** A hint below the control. */
  note?: ComponentChildren;
  problem: string | undefined;
  /** The control. */
  children: ComponentChildren;
}

/** A control with its label, hint and problem. */
export function FieldFrame({ id, label, beside, note, problem, children }: FrameProps) {
  return (
    <div class="field">
      <div class="field-label">
        <label for={id}>{label}</label>
        {beside}
      </div>
      {children}
      {note !== undefined && (
        <span id={`${id}-hint`} class="quiet field-note">
          {note}
        </span>
      )}
      <ProblemText id={id} problem={problem} />
    </div>
  );
}

/** The problem of a field. */
export function ProblemText({ id, problem }: { id: string; problem: string | undefined }) {
  return problem === undefined ? null : (
    <p id={`${id}-problem`} class="problem">
      <i aria-hidden="true">▲</i> {problem}
    </p>
  );
}

/** The problem and the attributes of the control of a field. */
function controlOf(field: FieldProps['field'], hint: ComponentChildren) {
  const [id, problem] = [fieldId(field), fieldProblems.value[field]];
  const describedBy = [
    ...(hint === undefined ? [] : [`${id}-hint`]),
    ...(problem === undefined ? [] : [`${id}-problem`]),
  ];
  return {
    id,
    problem,
    'data-field': field,
    value: formContent.value[field],
    'aria-invalid': problem !== undefined,
    'aria-describedby': describedBy.join(' ') || undefined,
  };
}
