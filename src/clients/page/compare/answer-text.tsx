import { useSignalEffect, type ReadonlySignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { GrowingText } from './growing-text';
import type { ColumnState } from './run';

/**
 * An answer as the text it is. Only what is new is added to the page, so that a long answer costs no more than a short
 * one.
 */
export function AnswerText({ column }: { column: ReadonlySignal<ColumnState> }) {
  const ref = useRef<HTMLDivElement>(null);
  const growing = useRef<GrowingText | undefined>(undefined);
  useSignalEffect(() => {
    const { text } = column.value;
    if (ref.current === null) return;
    growing.current ??= new GrowingText(ref.current);
    growing.current.show(text);
  });
  return <div ref={ref} class="answer-text" dir="auto" />;
}
