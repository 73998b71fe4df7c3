import { useRef } from 'preact/hooks';
import { MAX_TURNS, type Turn } from '../../../../common/turn';
import { changeForm, formContent } from './form-state';

/** The earlier turns of the form: to add, write and take away. */
export function TurnEditor() {
  const { history } = formContent.value;
  const list = useRef<HTMLDivElement>(null);
  const change = (turns: readonly Turn[], focused: string): void => {
    changeForm({ history: turns });
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>(focused)?.focus());
  };
  const role = history.at(-1)?.role === 'user' ? 'assistant' : 'user';
  const add = (): void => change([...history, { role, content: '' }], 'fieldset:last-of-type textarea');
  return (
    <div class="checks" ref={list}>
      {history.map((turn, index) => (
        <TurnFields
          key={index}
          turn={turn}
          name={`turn ${index + 1}`}
          onChange={(part) => changeForm({ history: history.with(index, { ...turn, ...part }) })}
          onRemove={() => change(history.toSpliced(index, 1), ':scope > button')}
        />
      ))}
      <button type="button" disabled={history.length >= MAX_TURNS} onClick={add}>
        Add turn
      </button>
    </div>
  );
}

interface TurnFieldsProps {
  turn: Turn;
  name: string;
  onChange: (part: Partial<Turn>) => void;
  onRemove: () => void;
}

function TurnFields({ turn: { role, content }, name, onChange, onRemove }: TurnFieldsProps) {
  return (
    <fieldset class="check-fields">
      <legend>
        T{name.slice(1)}{' '}
        <select
          aria-label={`Role of ${name}`}
          value={role}
          onChange={(event) => onChange({ role: event.currentTarget.value as Turn['role'] })}
        >
          <option value="user">User</option>
          <option value="assistant">Assistant</option>
        </select>
      </legend>
      <button type="button" class="button-icon check-remove" aria-label={`Remove ${name}`} onClick={onRemove}>
        ✕
      </button>
      <textarea
        aria-label={`Text of ${name}`}
        rows={2}
        dir="auto"
        value={content}
        onInput={(event) => onChange({ content: event.currentTarget.value })}
      />
    </fieldset>
  );
}
