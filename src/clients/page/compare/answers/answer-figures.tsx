import type { ReadonlySignal } from '@preact/signals';
import type { LeadKind } from '../../../client/lead';
import type { Eval } from '../../../client/client';
import { type ColumnState, isOpen } from '../run/run';
import { useClock } from './elapsed';
import { type Figure, figuresOf, leadText, liveFigures } from './figures';

interface FiguresProps extends Pick<ColumnState, 'phase' | 'result'> {
  /** Of the shown answer, while it is written. */
  column: ReadonlySignal<ColumnState>;
  startedAt: number | undefined;
  stored: Eval | undefined;
  model: string;
}

/** The figures in which a model may lead. */
const LEADS: Readonly<Record<string, LeadKind>> = { Latency: 'fastest', Cost: 'cheapest' };

/** The figures above an answer. While a model writes, its latency counts up, and its speed is an estimate. */
export function AnswerFigures({ phase, result, column, startedAt, stored, model }: FiguresProps) {
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
  const leadOf = (name: string) => LEADS[name] && leadText(stored, LEADS[name], model);
  return (
    <dl class="answer-figures">
      {shown.map(({ name, figure }) => (
        <FigureCell key={name} name={name} figure={figure} lead={leadOf(name)} />
      ))}
    </dl>
  );
}

/** A copied figure has all its digits. */
function FigureCell({
  name,
  figure: { text, title },
  lead,
}: {
  name: string;
  figure: Figure;
  lead: string | undefined;
}) {
  const onCopy = (event: ClipboardEvent): void => {
    if (name !== 'Cost' || title === undefined || document.getSelection()?.toString().trim() !== text) return;
    event.clipboardData?.setData('text/plain', title);
    event.preventDefault();
  };
  return (
    <div data-figure={name} data-leads={lead !== undefined}>
      <dt>{name}</dt>
      <dd title={title} onCopy={onCopy}>
        {lead !== undefined && (
          <span class="figure-lead" title={lead}>
            <i aria-hidden="true">●</i>
            <span class="visually-hidden">{lead}: </span>
          </span>
        )}
        {text}
      </dd>
    </div>
  );
}
