import { useSignalEffect, type ReadonlySignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { ColumnState } from './run';

/** An answer as the text it is. Only what is new is added to the page, so that a long answer costs no more than a short one. */
export function AnswerText({ column }: { column: ReadonlySignal<ColumnState> }) {
  const ref = useRef<HTMLDivElement>(null);
  useSignalEffect(() => {
    const { text } = column.value;
    if (ref.current !== null) showText(ref.current, text);
  });
  return <div ref={ref} class="answer-text" dir="auto" />;
}

function showText(element: HTMLElement, text: string): void {
  const node = element.firstChild;
  if (!(node instanceof Text)) element.append(text);
  else if (text.startsWith(node.data)) node.appendData(text.slice(node.length));
  else node.data = text;
}
