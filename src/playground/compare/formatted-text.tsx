import type { ReadonlySignal } from '@preact/signals';
import { AnswerText } from './answer-text';
import type { ColumnState } from './run';

/** An answer with its formatting. */
export function FormattedText({ column }: { column: ReadonlySignal<ColumnState>; isWriting: boolean }) {
  return <AnswerText column={column} />;
}
