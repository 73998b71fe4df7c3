import type { Statistics } from '../../client/client';
import { intervalMeaning, LOOKING_AGAIN } from '../../client/plain-words';
import { timeText } from '../../client/time-text';
import { DASH, money } from '../compare/answers/figures';
import { ModelName } from '../compare/models/model-mark';
import { Scroller } from '../parts/scroller';
import { Help } from './help';
import { type Interval, numberText, percentText, rangeText } from './numbers';

type ModelStatistics = Statistics['models'][number];

/** The statistics of each model's samples: medians and shares with their ranges, and what they mean. */
export function StatisticsTable({ statistics: { samples, models, fastest, cheapest } }: { statistics: Statistics }) {
  const columns = COLUMNS.filter(({ has }) => has === undefined || models.some(has));
  const latencies = models.flatMap(({ latency_ms: latency }) => [latency?.p50 ?? 0, ...(latency?.p50_ci ?? [])]);
  const scale = Math.max(0, ...latencies);
  const names = models.map(({ model }) => model);
  return (
    <>
      <Scroller label="Figures of the samples">
        <table class="finding-table">
          <caption class="visually-hidden">Statistics of the samples of each model</caption>
          <thead>
            <tr>
              <th scope="col">Model</th>
              {columns.map((column) => (
                <HeadCell key={column.head} {...column} />
              ))}
            </tr>
          </thead>
          <tbody>
            {models.map((model) => (
              <tr key={model.model}>
                <th scope="row">
                  <ModelName model={model.model} models={names} />
                </th>
                {columns.map(({ head, cell }) => (
                  <td key={head}>{cell(model, scale)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroller>
      {models.length > 1 &&
        [fastest, cheapest].map(
          (leader) =>
            leader && (
              <p key={leader.because} class="finding-words">
                {leader.because}
              </p>
            ),
        )}
      <p class="finding-words">
        {intervalMeaning(samples)} Calls in a row are alike, so ranges may be too narrow. A dash means too few answers:
        a median needs 6, the slowest tenth 36. {LOOKING_AGAIN}
      </p>
    </>
  );
}

interface Column {
  head: string;
  /** The meaning of the figure, in one or two sentences, and the heading of the guide that says more. */
  help: string;
  anchor?: string;
  /** The scale is the end of the one on which the intervals of all models are drawn. */
  cell: (model: ModelStatistics, scale: number) => preact.ComponentChildren;
  /** Shows the column if some model has this; without it the column is always shown. */
  has?: (model: ModelStatistics) => boolean;
}

function HeadCell({ head, help, anchor = 'read-the-table' }: Column) {
  return (
    <th scope="col" abbr={head}>
      {head}{' '}
      <Help about={head} anchor={anchor}>
        {help}
      </Help>
    </th>
  );
}

const COLUMNS: readonly Column[] = [
  {
    head: 'Answered',
    help: 'Calls that were answered, of all calls. The other figures leave failed calls out.',
    cell: ({ answered, failed }) => (
      <>
        {answered} of {answered + failed}
      </>
    ),
  },
  {
    head: 'Latency, median',
    help: 'Half of the answers took less time, half took more. The range below shows how far off this figure may be.',
    anchor: 'ranges',
    cell: ({ latency_ms: latency }, scale) => (
      <Figure value={latency?.p50} interval={latency?.p50_ci} text={timeText} scale={scale} />
    ),
  },
  {
    head: 'Slowest tenth',
    help: 'One answer in ten took longer than this. A range needs 36 answers.',
    anchor: 'ranges',
    cell: ({ latency_ms: latency }) => <Figure value={latency?.p90} interval={latency?.p90_ci} text={timeText} />,
  },
  {
    head: 'First text, median',
    help: 'The time until the first words. Half of the answers began earlier.',
    cell: ({ ttft_ms: firstText }) => <Figure value={firstText?.p50} interval={firstText?.p50_ci} text={timeText} />,
  },
  {
    head: 'Cost, mean',
    help: 'What one call cost on average. “Without cache” leaves out the vendor’s discount for repeated prompts.',
    cell: Cost,
  },
  {
    head: 'Passed',
    help: 'Answers that passed every check. The range below shows how far off the share may be.',
    anchor: 'checks',
    cell: Passed,
    has: ({ checks }) => checks !== undefined,
  },
  {
    head: 'Self-agreement',
    help: 'How often the model gave its most common answer. 100 % means that it always said the same.',
    cell: Own,
    has: ({ agreement }) => agreement !== null,
  },
  {
    head: 'Tokens out, mean',
    help: 'The mean length of the answers in tokens, with the tokens of thought.',
    cell: ({ output_tokens: tokens }) => <>{tokens === null ? DASH : numberText(tokens.mean)}</>,
  },
];

interface FigureProps {
  value: number | undefined;
  interval: Interval | null | undefined;
  text: (value: number) => string;
  /** The end of the scale on which the intervals of all models are drawn; it begins at 0. */
  scale?: number;
}

function Figure({ value, interval, text, scale = 0 }: FigureProps) {
  return (
    <>
      <span class="finding-value">{value === undefined ? DASH : text(value)}</span>
      <span class="finding-range" title={interval ? 'Range' : 'Too few answers for a range'}>
        {rangeText(interval, text)}
      </span>
      {scale > 0 && interval && (
        <span class="interval" aria-hidden="true">
          <span
            class="interval-band"
            style={{
              insetInlineStart: `${(interval[0] / scale) * 100}%`,
              inlineSize: `${((interval[1] - interval[0]) / scale) * 100}%`,
            }}
          />
          {value !== undefined && (
            <span class="interval-value" style={{ insetInlineStart: `${(value / scale) * 100}%` }} />
          )}
        </span>
      )}
    </>
  );
}

function Cost({ cost_usd: cost }: ModelStatistics) {
  const [mean, without] = [money(cost?.mean), money(cost?.mean_without_cache)];
  return (
    <>
      <span class="finding-value" title={mean.title}>
        {mean.text}
      </span>
      {cost !== null && cost.mean_without_cache !== cost.mean && (
        <span class="finding-range" title={without.title}>
          {without.text} without cache
        </span>
      )}
    </>
  );
}

function Passed({ checks }: ModelStatistics) {
  if (checks === undefined) return <>{DASH}</>;
  return (
    <>
      <span class="finding-value">
        {checks.passed} of {checks.of}
      </span>
      <span class="finding-range">{rangeText(checks.ci, percentText)}</span>
    </>
  );
}

function Own({ agreement }: ModelStatistics) {
  if (agreement === null) return <>{DASH}</>;
  return (
    <>
      <span class="finding-value">{percentText(agreement.modal_share)}</span>
      <span class="finding-range">
        {agreement.distinct === 1 ? 'always the same' : `${agreement.distinct} different answers`}
      </span>
    </>
  );
}
