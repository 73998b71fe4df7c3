import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { CHECK_TYPES, type CheckDraft, type CheckType, MAX_CHECKS } from '../compare/form/check-drafts';
import { changeForm, formContent } from '../compare/form/form-state';
import { CHECK_FORMS, type CheckField, COMMON_FIELDS } from './check-forms';

/** The checks of the form: to add, fill in and take away. */
export function CheckEditor() {
  const { checks } = formContent.value;
  const list = useRef<HTMLDivElement>(null);
  const added = useRef(false);
  const removed = useRef(false);
  useLayoutEffect(() => {
    if (added.current)
      list.current?.querySelector<HTMLElement>('fieldset:last-of-type :is(input, textarea, select)')?.focus();
    // The button that took it away is gone with it.
    else if (removed.current) list.current?.querySelector<HTMLElement>('.add-check select')?.focus();
    added.current = removed.current = false;
  }, [checks.length]);
  const change = (index: number, draft: CheckDraft | undefined): void => {
    removed.current = draft === undefined;
    changeForm({ checks: draft === undefined ? checks.toSpliced(index, 1) : checks.with(index, draft) });
  };
  const add = (type: CheckType): void => {
    added.current = true;
    changeForm({ checks: [...checks, { type }] });
  };
  return (
    <div class="checks" ref={list}>
      {checks.length === 0 && (
        <p class="quiet">
          Checks say what a good answer is, and each answer is checked as it ends. Try one:{' '}
          <button
            type="button"
            class="chip"
            onClick={() => changeForm({ checks: [{ type: 'length', max: '60', unit: 'words' }] })}
          >
            at most 60 words
          </button>
        </p>
      )}
      {checks.map((draft, index) => (
        <CheckFields key={index} draft={draft} number={index + 1} onChange={(next) => change(index, next)} />
      ))}
      {checks.length < MAX_CHECKS ? (
        <AddCheck onAdd={add} />
      ) : (
        <p class="quiet">An eval can have at most {MAX_CHECKS} checks.</p>
      )}
    </div>
  );
}

/** A separate button adds: a list that acts on selection could not be used with the keyboard. */
function AddCheck({ onAdd }: { onAdd: (type: CheckType) => void }) {
  const type = useSignal<CheckType>(CHECK_TYPES[0]);
  return (
    <div class="add-check">
      <select
        aria-label="Type of check"
        value={type.value}
        onChange={(event) => {
          type.value = event.currentTarget.value as CheckType;
        }}
      >
        {CHECK_TYPES.map((each) => (
          <option key={each} value={each}>
            The answer {CHECK_FORMS[each].title}
          </option>
        ))}
      </select>
      <button type="button" onClick={() => onAdd(type.value)}>
        Add check
      </button>
    </div>
  );
}

function CheckFields({
  draft,
  number,
  onChange,
}: {
  draft: CheckDraft;
  number: number;
  onChange: (draft: CheckDraft | undefined) => void;
}) {
  const { title, fields } = CHECK_FORMS[draft.type];
  // The initial state: a fold that follows the typed text would close while a field is emptied.
  const hasMore = useRef(
    COMMON_FIELDS.some(({ name }) => draft[name] !== undefined && draft[name] !== '' && draft[name] !== 'false'),
  ).current;
  const field = (each: CheckField) => (
    <Field
      key={each.name}
      field={each}
      id={`check-${number}-${each.name}`}
      value={draft[each.name] ?? ''}
      onChange={(text) => onChange({ ...draft, [each.name]: text })}
    />
  );
  return (
    <fieldset class="check-fields">
      <legend>
        {number}. The answer {title}
      </legend>
      <button
        type="button"
        class="button-icon check-remove"
        aria-label={`Remove check ${number}`}
        title="Remove this check"
        onClick={() => onChange(undefined)}
      >
        ✕
      </button>
      {fields.map(field)}
      <details open={hasMore}>
        <summary class="quiet">Name, weight, negation</summary>
        <div class="check-more">{COMMON_FIELDS.map(field)}</div>
      </details>
    </fieldset>
  );
}

interface FieldProps {
  field: CheckField;
  id: string;
  value: string;
  onChange: (text: string) => void;
}

function Field({ field, id, value, onChange }: FieldProps) {
  const { label, kind, hint, isOn = false } = field;
  if (kind === 'flag') {
    const change = (isChecked: boolean): void => onChange(isChecked === isOn ? '' : String(isChecked));
    return (
      <label class="check-flag">
        <input
          type="checkbox"
          checked={value === '' ? isOn : value === 'true'}
          onChange={(event) => change(event.currentTarget.checked)}
        />{' '}
        {label}
      </label>
    );
  }
  return (
    <div class="check-field" data-kind={kind}>
      <label for={id}>{label}</label>
      <Control field={field} id={id} value={value} onChange={onChange} />
      {kind === 'area' && hint !== undefined && <span class="quiet">{hint}</span>}
    </div>
  );
}

function Control({ field: { kind, hint, options = [] }, id, value, onChange }: FieldProps) {
  const onInput = (event: { currentTarget: { value: string } }): void => onChange(event.currentTarget.value);
  if (kind === 'area') return <textarea id={id} rows={2} dir="auto" value={value} onInput={onInput} />;
  if (kind === 'choice')
    return (
      <select id={id} value={value} onChange={onInput}>
        {options.map(([each, label]) => (
          <option key={each} value={each}>
            {label}
          </option>
        ))}
      </select>
    );
  return (
    <input
      id={id}
      type="text"
      inputMode={kind === 'number' ? 'decimal' : undefined}
      autocomplete="off"
      spellcheck={false}
      placeholder={hint}
      value={value}
      onInput={onInput}
    />
  );
}
