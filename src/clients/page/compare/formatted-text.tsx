import { useComputed, type ReadonlySignal } from '@preact/signals';
import { lazyComponent } from '../lazy-component';
import { withLaterStyles } from '../load-style';
import { AnswerText } from './answer-text';
import type { ColumnState } from './run';

interface FormattedProps {
  text: ReadonlySignal<string>;
  isWriting: boolean;
}

const useFormatted = lazyComponent<FormattedProps>(
  async () => (await withLaterStyles(import('../markdown/formatted'))).Formatted,
);

/** An answer with its formatting; as the text it is while the code for that is not there. */
export function FormattedText({ column, isWriting }: { column: ReadonlySignal<ColumnState>; isWriting: boolean }) {
  const text = useComputed(() => column.value.text);
  const formatted = useFormatted();
  return formatted.kind === 'loaded' ? (
    <formatted.Component text={text} isWriting={isWriting} />
  ) : (
    <AnswerText column={column} />
  );
}
