import { withoutMissing } from '../../statistics/clustered';
import { coverageOf, NOT_TESTED, type ComparedModels, type SummaryTask } from './compared-models';
import { MIN_COVERAGE, type PairedColumns } from './paired-columns';
import type { ModelColumns } from './summary-input';
import type { ModelSummaryDto, RankingDto } from './summary.dto';
import {
  coverageInWords,
  differenceInWords,
  inPercent,
  lessInWords,
  namesInWords,
  ratioInWords,
  rowsInWords,
  sizeInWords,
} from './words';

/** Fewer clusters make an interval of a mean too narrow. */
const MIN_CLUSTERS = 30;
const MAX_CUT = 0.05;
const MAX_CACHED = 0.2;
const VERBS = {
  passed: 'passes more often than',
  score: 'has a higher score than',
  latency_ms: 'takes',
  cost_usd: 'costs',
} as const;
const UNITS = { latency_ms: 'as long as', cost_usd: 'as much as' } as const;

/** The figures that a headline uses. */
export interface Compared {
  task: SummaryTask;
  ranking: RankingDto | null;
  models: readonly ModelSummaryDto[];
  /** In the metric of the ranking, and in cost. */
  pairs: readonly ComparedModels[];
  costs: readonly ComparedModels[];
}

/** The result of an experiment in a sentence. */
export function headlineOf(compared: Compared): string {
  const {
    task: { columns, isFinal, rowCountOfDataset },
    ranking,
  } = compared;
  const { models, rowCount } = columns;
  if (rowCount === 0) return 'No row has ended.';
  if (!isFinal)
    return `The experiment is not final: ${rowCount.toLocaleString('en-US')} of ${rowsInWords(rowCountOfDataset)}. No model is called better before its end.`;
  if (models.every(({ sums }) => sums.answered === 0)) return `No model answered on ${rowsInWords(rowCount)}.`;
  const cost = (names: readonly string[]) => costInWords(names, compared.costs);
  if (ranking === null)
    return `${columns.checkNames.length === 0 ? 'There was no check' : 'No check decided an answer'}, so nothing says which answers are good${cost(models.map(({ model }) => model))}.`;
  if (models.length < 2) return aloneInWords(compared);
  const leaders = ranking.models.filter(({ rank }) => rank.best === 1).map(({ model }) => model);
  return leaders.length === 1
    ? leadInWords(leaders[0] ?? '', compared)
    : `${sharedInWords(leaders, compared)}${cost(leaders)}.`;
}

/** A model without others has only its figure: "Only a was asked: passed 19 of 20 (76 to 99 %)." */
function aloneInWords({ task, models: [only] }: Compared): string {
  if (only === undefined) return '';
  const { model, passed, score } = only;
  const values = withoutMissing(task.columns.models[0]?.rows.passed ?? new Float64Array());
  const [size, range] =
    passed === null
      ? [`mean score ${Number(score?.mean.toFixed(2))}`, score?.ci?.map((end) => Number(end.toFixed(3))).join(' to ')]
      : [
          `passed ${Number(values.reduce((sum, value) => sum + value, 0).toFixed(1))} of ${values.length}`,
          passed.ci && `${passed.ci.map((end) => Math.round(100 * end)).join(' to ')} %`,
        ];
  return `Only ${model} was asked: ${size}${range ? ` (${range})` : ''}.`;
}

/** A single model at place 1 is better than at least one other. */
function leadInWords(
  leader: string,
  {
    pairs,
    task: {
      columns: { models },
    },
  }: Compared,
): string {
  const behind = pairs.filter((pair) => winnerOf(pair) === leader).sort((left, right) => sizeOf(left) - sizeOf(right));
  const [closest] = behind;
  if (closest === undefined) return '';
  const others =
    behind.length === 1
      ? rivalOf(closest, leader)
      : behind.length === models.length - 1
        ? 'every other model'
        : namesInWords(behind.map((pair) => rivalOf(pair, leader)));
  const [size, on] = [sizeInWords(closest.pair), `on ${rowsInWords(closest.pair.rows)}, for rows like these.`];
  return `${leader} is better than ${others}${behind.length === 1 ? ` by ${size}` : `. The closest is ${rivalOf(closest, leader)}, ${size} behind`} ${on}`;
}

function sharedInWords(leaders: readonly string[], { pairs }: Compared): string {
  const [first = '', second = ''] = leaders;
  const between = pairs.find((pair) => names(pair).includes(first) && names(pair).includes(second));
  if (between === undefined) return '';
  if (between.pair.rows === 0) return `${names(between).join(' and ')} have no row in common`;
  const why =
    between.because === undefined
      ? ''
      : `: ${between.because.charAt(0).toLowerCase()}${between.because.slice(1).replace(/\.$/, '')}`;
  const subject = leaders.length === 2 ? '' : `${names(between).join(' and ')}: `;
  return `${namesInWords(leaders.length === 2 ? names(between) : leaders)} cannot be told apart on ${rowsInWords(between.pair.rows)} (${subject}${differenceInWords(between.pair)})${why}`;
}

/** The saving of the cheapest of these models against the next one, if it is more than luck explains. */
function costInWords(models: readonly string[], costs: readonly ComparedModels[]): string {
  const among = costs.filter((pair) => names(pair).every((name) => models.includes(name)));
  const cheapest = models.find(
    (name) => among.length > 0 && among.every((pair) => !names(pair).includes(name) || winnerOf(pair) === name),
  );
  const [closest] = among
    .filter((pair) => winnerOf(pair) === cheapest && cheapest !== undefined && pair.pair.mean !== null)
    .sort((left, right) => sizeOf(left) - sizeOf(right));
  if (cheapest === undefined || closest === undefined || sizeOf(closest) < 0.01) return '';
  return `; ${cheapest} costs ${lessInWords(Math.exp(-sizeOf(closest)))}${models.length === 2 ? '' : ` than ${rivalOf(closest, cheapest)}, the next`}`;
}

/** The comparison of two models in a sentence. */
export function pairInWords(compared: ComparedModels): string {
  const { metric, pair, direction } = compared;
  const [first, second] = names(compared);
  if (pair.rows === 0) return `${first} and ${second} have no row in common.`;
  const isRatio = metric === 'latency_ms' || metric === 'cost_usd';
  // Of amounts, the model with more of it comes first: a ratio is above 1.
  const [subject, object] = (isRatio ? direction > 0 : direction < 0) ? [second, first] : [first, second];
  if (direction === 0)
    return undecidedInWords(compared, isRatio ? ratioOf(pair, first, metric) : differenceInWords(pair));
  if (!isRatio) return `${subject} ${VERBS[metric]} ${object} by ${sizeInWords(pair)}, for rows like these.`;
  return `${subject} ${VERBS[metric]} ${pair.mean === null ? 'more than' : `${ratioInWords(pair, pair.mean.mean < 0)} ${UNITS[metric]}`} ${object}, for rows like these.`;
}

function undecidedInWords({ first, second, pair: { rows }, because }: ComparedModels, size: string): string {
  const models = `${first.model} and ${second.model}`;
  const result =
    because === NOT_TESTED
      ? `${models} on ${rowsInWords(rows)}: ${size}`
      : `${models} cannot be told apart on ${rowsInWords(rows)} (${size})`;
  return `${result}, for rows like these.${because === undefined ? '' : ` ${because}`}`;
}

/** "a takes 1.99 × (1.93 to 2.06) as long". */
function ratioOf(pair: PairedColumns, subject: string, metric: keyof typeof UNITS): string {
  const ratio = ratioInWords(pair, false);
  return pair.mean === null ? ratio : `${subject} ${VERBS[metric]} ${ratio} ${UNITS[metric].replace(/ as$/, '')}`;
}

function names({ first, second }: ComparedModels): [string, string] {
  return [first.model, second.model];
}

function winnerOf({ first, second, direction }: ComparedModels): string | undefined {
  return direction === 0 ? undefined : direction > 0 ? first.model : second.model;
}

function rivalOf({ first, second }: ComparedModels, model: string): string {
  return first.model === model ? second.model : first.model;
}

function sizeOf({ pair }: ComparedModels): number {
  return Math.abs(pair.mean?.mean ?? 0);
}

/** Why the figures may mislead. */
export function warningsOf(
  { columns, isFinal, rowCountOfDataset, temperature }: SummaryTask,
  metric: RankingDto['metric'] | null,
): string[] {
  const { models, clusters, rowCount, groupCount, samples } = columns;
  if (rowCount === 0) return [];
  const ofModel = (model: ModelColumns) => modelWarnings(model, coverageOf(columns, model, metric), metric !== null);
  return [
    ...(clusters.count < MIN_CLUSTERS
      ? [`Fewer than ${MIN_CLUSTERS} ${groupCount > 0 ? 'groups' : 'rows'}: intervals are approximate.`]
      : []),
    ...(isFinal && rowCount < rowCountOfDataset
      ? [
          `The figures are from ${rowCount.toLocaleString('en-US')} of the ${rowsInWords(rowCountOfDataset)} of the experiment, which are a random sample.`,
        ]
      : []),
    ...(samples === 1 && temperature > 0
      ? ['Each row was asked once, so chance within a row is not measured. Use temperature 0 or 3 samples.']
      : []),
    ...models.flatMap(ofModel),
  ];
}

function modelWarnings({ model, sums }: ModelColumns, coverage: number, isRanked: boolean): string[] {
  const { answered, cut, cachedInputTokens, inputTokens, temperatureIgnored } = sums;
  return [
    ...(coverage < MIN_COVERAGE
      ? [
          `${model}: only ${coverageInWords(coverage)} of the calls count${isRanked ? ', so it is called neither better nor worse' : ''}.`,
        ]
      : []),
    ...(cut > MAX_CUT * answered
      ? [`${model}: ${inPercent(cut / answered)} of the answers were cut at the token limit.`]
      : []),
    ...(cachedInputTokens > MAX_CACHED * inputTokens
      ? [
          `${model}: ${inPercent(cachedInputTokens / inputTokens)} of the input was cached, which other calls may not be.`,
        ]
      : []),
    ...(temperatureIgnored > 0 ? [`${model} does not take the temperature.`] : []),
  ];
}
