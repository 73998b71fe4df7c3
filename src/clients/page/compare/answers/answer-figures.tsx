import type { ReadonlySignal } from '@preact/signals';
import { type ColumnState, isOpen } from '../run/run';
import { useClock } from './elapsed';
import { type Figure, figuresOf, liveFigures } from './figures';

interface FiguresProps extends Pick<ColumnState, 'phase' | 'result'> {
  /** Of the shown answer, while it is written. */
  column: ReadonlySignal<ColumnState>;
  startedAt: number | undefined;
}

/** The figures above an answer. While a model writes, its latency counts up, and its speed is an estimate. */
export function AnswerFigures({ phase, result, column, startedAt }: FiguresProps) {
  const isCounting = startedAt !== undefined && isOpen({ phase });
  const elapsedMs = useClock(isCounting ? startedAt : undefined);
  const figures = elapsedMs === undefined ? figuresOf(result) : liveFigures(column.peek(), elapsedMs);
  const cells = [
    ['Latency', figures.latency],
    ['First text', figures.firstText],
    ['Speed', figures.speed],
    ['Tokens', figures.tokens],
    ['Thought', figures.thought],
    ['Cost', figures.cost],
  ] as const;
  const shown = cells.flatMap(([name, figure]) =>
    figure === undefined || figure.isAbsent === true ? [] : [{ name, figure }],
  );
  if (shown.length === 0) return null;
  return (
    <dl class="answer-figures">
      {shown.map(({ name, figure }) => (
        <FigureCell key={name} name={name} figure={figure} />
      ))}
    </dl>
  );
}

/** A copied figure has all its digits. */
function FigureCell({ name, figure: { text, title } }: { name: string; figure: Figure }) {
  const onCopy = (event: ClipboardEvent): void => {
    if (name !== 'Cost' || title === undefined || document.getSelection()?.toString().trim() !== text) return;
    event.clipboardData?.setData('text/plain', title);
    event.preventDefault();
  };
  return (
    <div data-figure={name}>
      <dt>{name}</dt>
      <dd title={title} onCopy={onCopy}>
        {text}
      </dd>
    </div>
  );
}
