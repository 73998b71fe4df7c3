import { INTERVAL_MEANING, LOOKING_AGAIN } from '../../client/interval-words';
import { DASH, money } from '../compare/figures';
import { numberText, percentText, rangeText, timeText } from './numbers';
import { scaleOf, type Estimated, type EvalStatistics, type Leader, type ModelStatistics } from './statistics';

/** The statistics of each model's samples: medians and shares with their intervals, and the certainty of the lead. */
export function StatisticsTable({ statistics: { samples, models, fastest, cheapest } }: { statistics: EvalStatistics }) {
  const columns = columnsOf(models);
  return (
    <details class="finding" open>
      <summary><h2>{samples} answers of each model</h2></summary>
      <Leaders fastest={fastest} cheapest={cheapest} />
      <div class="finding-scroller" role="region" aria-label="Figures of the samples" tabIndex={0}>
        <table class="finding-table">
          <caption class="visually-hidden">Statistics of the samples of each model</caption>
          <thead><tr><th scope="col">Model</th>{columns.map(({ head, title }) => <th key={head} scope="col" title={title}>{head}</th>)}</tr></thead>
          <tbody>{models.map((model) => <tr key={model.model}><th scope="row">{model.model}</th>{columns.map(({ head, cell }) => <td key={head}>{cell(model)}</td>)}</tr>)}</tbody>
        </table>
      </div>
      <Explanation />
    </details>
  );
}

interface Column {
  head: string;
  title: string;
  cell: (model: ModelStatistics) => preact.ComponentChildren;
}

/** Only what some model has a figure for. */
function columnsOf(models: readonly ModelStatistics[]): Column[] {
  const scale = scaleOf(models.map(({ latency }) => latency));
  const columns: (Column | false)[] = [
    { head: 'Answered', title: 'Answered calls of all calls', cell: ({ answered, failed }) => <>{answered} of {answered + failed}</> },
    { head: 'Latency, median', title: 'Half of the answers were faster', cell: ({ latency }) => <Figure figure={latency} text={timeText} scale={scale} /> },
    { head: 'Slowest tenth', title: 'One answer in ten took longer', cell: ({ latencyP90 }) => <Figure figure={latencyP90} text={timeText} /> },
    { head: 'First text, median', title: 'Half of the answers began earlier', cell: ({ firstText }) => <Figure figure={firstText} text={timeText} /> },
    { head: 'Cost, mean', title: 'Mean cost of one call; below it the cost without the vendor’s cache, as in production', cell: Cost },
    models.some(({ checks }) => checks !== undefined) && { head: 'Passed', title: 'Answers that passed every check', cell: Passed },
    models.some(({ agreement }) => agreement !== undefined) && { head: 'Self-agreement', title: 'Share of the model’s answers that agree with its most common answer', cell: Own },
    { head: 'Tokens out, mean', title: 'Mean length of the answers', cell: ({ meanOutputTokens: mean }) => <>{mean === undefined ? DASH : numberText(mean)}</> },
  ];
  return columns.filter((column) => column !== false);
}

function Figure({ figure: { value, interval }, text, scale }: { figure: Estimated; text: (value: number) => string; scale?: number }) {
  return (
    <>
      <span class="finding-value">{value === undefined ? DASH : text(value)}</span>
      <span class="finding-range" title={interval === undefined ? 'Too few answers for an interval' : '95 % interval'}>{rangeText(interval, text)}</span>
      {scale !== undefined && scale > 0 && interval !== undefined && (
        <span class="interval" aria-hidden="true">
          <span class="interval-band" style={{ insetInlineStart: `${(interval[0] / scale) * 100}%`, inlineSize: `${((interval[1] - interval[0]) / scale) * 100}%` }} />
          {value !== undefined && <span class="interval-value" style={{ insetInlineStart: `${(value / scale) * 100}%` }} />}
        </span>
      )}
    </>
  );
}

function Cost({ meanCost, meanCostWithoutCache: uncached }: ModelStatistics) {
  const [mean, without] = [money(meanCost), money(uncached)];
  return (
    <>
      <span class="finding-value" title={mean.title}>{meanCost === undefined ? DASH : mean.text}</span>
      {uncached !== undefined && uncached !== meanCost && <span class="finding-range" title={without.title}>{without.text} without cache</span>}
    </>
  );
}

function Passed({ checks }: ModelStatistics) {
  if (checks === undefined) return <>{DASH}</>;
  return (
    <>
      <span class="finding-value">{checks.passed} of {checks.of}</span>
      <span class="finding-range">{checks.rate.interval === undefined ? DASH : rangeText(checks.rate.interval, percentText)}</span>
    </>
  );
}

function Own({ agreement }: ModelStatistics) {
  if (agreement === undefined) return <>{DASH}</>;
  return (
    <>
      <span class="finding-value">{percentText(agreement.modalShare)}</span>
      <span class="finding-range">{agreement.distinct === 1 ? 'always the same' : `${agreement.distinct} different answers`}</span>
    </>
  );
}

function Leaders({ fastest, cheapest }: Pick<EvalStatistics, 'fastest' | 'cheapest'>) {
  return <ul class="leaders">{fastest !== undefined && <LeaderLine kind="fastest" leader={fastest} />}{cheapest !== undefined && <LeaderLine kind="cheapest" leader={cheapest} />}</ul>;
}

function LeaderLine({ kind, leader: { model, confident, pValue, because } }: { kind: 'fastest' | 'cheapest'; leader: Leader }) {
  return (
    <li title={pValue === undefined ? undefined : `p = ${pValue}`}>
      <span class={`badge badge-${kind}`}><i aria-hidden="true">●</i> {kind === 'fastest' ? 'Fastest' : 'Cheapest'}</span> {model}: <strong>{confident ? 'sure' : 'not sure'}</strong>
      {because !== '' && <span class="quiet"> {because}</span>}
    </li>
  );
}

function Explanation() {
  return (
    <p class="finding-words">
      The range below a figure is its 95 % interval. {INTERVAL_MEANING} Consecutive calls are not independent, so intervals may be too narrow. A dash means too few answers: a median needs 6, the slowest tenth 36. {LOOKING_AGAIN}
    </p>
  );
}
