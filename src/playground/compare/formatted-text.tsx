import { signal, useComputed, type ReadonlySignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { AnswerText } from './answer-text';
import type { ColumnState } from './run';

interface FormattedProps {
  text: ReadonlySignal<string>;
  isWriting: boolean;
}

const loaded = signal<ComponentType<FormattedProps> | undefined>(undefined);

/** An answer with its formatting; as the text it is while the code for that is not there. */
export function FormattedText({ column, isWriting }: { column: ReadonlySignal<ColumnState>; isWriting: boolean }) {
  const text = useComputed(() => column.value.text);
  useEffect(() => void load(), []);
  const Formatted = loaded.value;
  return Formatted === undefined ? <AnswerText column={column} /> : <Formatted text={text} isWriting={isWriting} />;
}

async function load(): Promise<void> {
  if (loaded.value !== undefined) return;
  try {
    const { Formatted } = await import('../markdown/formatted');
    loaded.value = Formatted;
  } catch {
    // No network, or the service was renewed: answers stay readable as text.
  }
}
