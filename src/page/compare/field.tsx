import type { ComponentChildren } from 'preact';
import type { FieldName } from './form-content';
import { changeForm, fieldId, fieldProblems, formContent } from './form-state';

interface FieldProps {
  field: Exclude<FieldName, 'models' | 'checks'>;
  label: string;
  /** Shown beside the label. */
  hint?: ComponentChildren;
}

/** A text of several lines. It grows with what is written. */
export function TextField({ field, label, hint, rows, placeholder }: FieldProps & { rows: number; placeholder?: string }) {
  const problem = fieldProblems.value[field];
  const id = fieldId(field);
  return (
    <div class="field">
      <div class="field-label"><label for={id}>{label}</label>{hint !== undefined && <span id={`${id}-hint`} class="quiet">{hint}</span>}</div>
      <textarea
        id={id} data-field={field} rows={rows} dir="auto" placeholder={placeholder} value={formContent.value[field]}
        aria-invalid={problem !== undefined} aria-describedby={describedBy(id, hint, problem)} onInput={(event) => changeForm({ [field]: event.currentTarget.value })}
      />
      <ProblemText id={id} problem={problem} />
    </div>
  );
}

/** A number, typed as text so that nothing is changed while it is typed. */
export function NumberField({ field, label, hint, placeholder, help }: FieldProps & { placeholder: string; help?: ComponentChildren }) {
  const problem = fieldProblems.value[field];
  const id = fieldId(field);
  return (
    <div class="field">
      <div class="field-label"><label for={id}>{label}</label>{help}</div>
      <input
        id={id} data-field={field} type="text" inputMode="decimal" autocomplete="off" placeholder={placeholder} value={formContent.value[field]}
        aria-invalid={problem !== undefined} aria-describedby={describedBy(id, hint, problem)} onInput={(event) => changeForm({ [field]: event.currentTarget.value })}
      />
      {hint !== undefined && <span id={`${id}-hint`} class="quiet field-note">{hint}</span>}
      <ProblemText id={id} problem={problem} />
    </div>
  );
}

/** One of a few values, or none of them. */
export function ChoiceField({ field, label, hint, choices, empty }: FieldProps & { choices: readonly string[]; empty: string }) {
  const problem = fieldProblems.value[field];
  const id = fieldId(field);
  return (
    <div class="field">
      <div class="field-label"><label for={id}>{label}</label></div>
      <select id={id} data-field={field} value={formContent.value[field]} aria-invalid={problem !== undefined} aria-describedby={describedBy(id, hint, problem)} onChange={(event) => changeForm({ [field]: event.currentTarget.value })}>
        <option value="">{empty}</option>
        {choices.map((choice) => <option key={choice} value={choice}>{choice}</option>)}
      </select>
      {hint !== undefined && <span id={`${id}-hint`} class="quiet field-note">{hint}</span>}
      <ProblemText id={id} problem={problem} />
    </div>
  );
}

/** The problem of a field. */
export function ProblemText({ id, problem }: { id: string; problem: string | undefined }) {
  return problem === undefined ? null : <p id={`${id}-problem`} class="problem"><i aria-hidden="true">▲</i> {problem}</p>;
}

function describedBy(id: string, hint: ComponentChildren, problem: string | undefined): string | undefined {
  const ids = [...(hint === undefined ? [] : [`${id}-hint`]), ...(problem === undefined ? [] : [`${id}-problem`])];
  return ids.length === 0 ? undefined : ids.join(' ');
}
