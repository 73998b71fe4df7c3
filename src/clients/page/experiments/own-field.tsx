import { FieldFrame } from '../compare/form/field';

interface OwnFieldProps {
  id: string;
  label: string;
  hint: string;
  value: string;
  problem?: string | undefined;
  placeholder?: string;
  onInput: (text: string) => void;
}

/** A line of text that is no part of the compare form. */
export function OwnField({ id, label, hint, value, problem, placeholder, onInput }: OwnFieldProps) {
  return (
    <FieldFrame
      id={id}
      label={label}
      beside={
        <span id={`${id}-hint`} class="quiet">
          {hint}
        </span>
      }
      problem={problem}
    >
      <input
        id={id}
        type="text"
        autocomplete="off"
        placeholder={placeholder}
        value={value}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-hint ${id}-problem`}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </FieldFrame>
  );
}
