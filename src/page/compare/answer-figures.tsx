import { Elapsed } from './elapsed';
import { figuresOf, type Figure } from './figures';
import { isOpen, type ColumnState } from './run';

/** The figures above an answer. While a model writes, its latency counts up. */
export function AnswerFigures({ phase, result, startedAt }: Pick<ColumnState, 'phase' | 'result'> & { startedAt: number | undefined }) {
  const figures = figuresOf(result);
  const isCounting = startedAt !== undefined && isOpen({ phase });
  return (
    <dl class="answer-figures">
      <div><dt>Latency</dt><dd title={isCounting ? undefined : figures.latency.title}>{isCounting ? <Elapsed since={startedAt} /> : figures.latency.text}</dd></div>
      <FigureCell name="First text" figure={figures.firstText} />
      <FigureCell name="Speed" figure={figures.speed} />
      <FigureCell name="Tokens" figure={figures.tokens} />
      <FigureCell name="Cost" figure={figures.cost} />
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
  return <div><dt>{name}</dt><dd title={title} onCopy={onCopy}>{text}</dd></div>;
}
