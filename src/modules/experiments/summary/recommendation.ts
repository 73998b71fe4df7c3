import { rowsNeeded } from '../../statistics/sample-size';
import { MIN_COVERAGE } from './paired-columns';
import type { RecommendationDto } from './recommendation.dto';
import type { ExperimentFiguresDto, ModelPairDto, ModelSummaryDto } from './summary.dto';
import { coverageInWords, dollarsInWords, inPercent, inPoints, lessInWords, namesInWords, rowsInWords } from './words';

/** Below this share of passed rows, not even the best model is good. */
const MIN_PASSED = 0.5;

/** The parts of a summary that a recommendation reads. It can be made for each tolerance without the rows. */
type Summary = Pick<ExperimentFiguresDto, 'final' | 'groups' | 'models' | 'pairs' | 'ranking' | 'judgment'>;

/** A model beside the best one. */
interface Candidate {
  model: ModelSummaryDto;
  /** In USD, of a passed answer, or of a call where only scores rank; null where it is not known. */
  cost: number | null;
  /** How much more often it passes than the best one; undefined for that itself. */
  gap?: { pair: ModelPairDto; mean: number; ends: [number, number] };
}

/** The model to take of an experiment that has ended, and why; null before its end. */
export function recommend(summary: Summary, tolerance: number): RecommendationDto | null {
  if (!summary.final) return null;
  const obstacle = unfitJudgeOf(summary) ?? obstacleTo(summary);
  if (obstacle === undefined) return recommendationOf(summary, tolerance);
  return {
    ...{ model: null, basis: null, best: null, tolerance, alternative: null },
    words: `No model is recommended: ${obstacle}.`,
  };
}

function recommendationOf(summary: Summary, tolerance: number): RecommendationDto {
  const [best, others] = candidatesOf(summary);
  const cheaper = others.filter((one) => isCheaper(one, best));
  const taken = cheapestOf(cheaper.filter((one) => isNotWorse(one, tolerance))) ?? best;
  const open = cheapestOf(
    cheaper.filter((one) => isCheaper(one, taken) && !isNotWorse(one, tolerance) && !isWorse(one)),
  );
  const rows = open === undefined ? null : rowsToDecide(open, summary, tolerance);
  const metric = summary.ranking?.metric ?? 'passed';
  return {
    model: taken.model.model,
    basis: taken === best ? 'best' : 'not_worse',
    best: best.model.model,
    tolerance,
    alternative: open === undefined ? null : { model: open.model.model, rows_needed: rows },
    words: [
      taken === best ? bestInWords(best, metric) : takenInWords(taken, best, { tolerance, metric }),
      ...(open === undefined ? [] : [openInWords(open, taken, rows)]),
      ...judgesInWords(summary),
    ].join(' '),
  };
}

/** Verdicts are not facts: the words name whose they are. */
function judgesInWords({ judgment }: Summary): string[] {
  return judgment ? [`These are the verdicts of ${namesInWords(judgment.judges.map(({ model }) => model))}.`] : [];
}

/** Why nothing can be recommended, in words. */
function obstacleTo({ models, ranking }: Summary): string | undefined {
  if (ranking === null) return 'no check decided an answer';
  if (models.length < 2) return `only ${models[0]?.model ?? 'no model'} was asked`;
  const least = models.reduce((one, other) => (other.coverage < one.coverage ? other : one));
  if (least.coverage < MIN_COVERAGE)
    return `only ${coverageInWords(least.coverage)} of the calls of ${least.model} count, and ${inPercent(MIN_COVERAGE)} are needed`;
  const most = Math.max(...models.map((model) => figureOf(model, ranking.metric)));
  return ranking.metric === 'passed' && most < MIN_PASSED
    ? `none is good: the best passes ${inPercent(most)} of the rows`
    : undefined;
}

/** Verdicts of a judge that failed its examination are no reason to take a model; undefined if none did. */
export function unfitJudgeOf({ judgment }: Pick<Summary, 'judgment'>): string | undefined {
  const judge = judgment?.judges.find(({ gullible, position_biased: isBiased }) => gullible || isBiased);
  if (judge === undefined) return undefined;
  return `${judge.model} ${judge.gullible ? 'passed a decoy' : 'judges by position'}, so its verdicts decide nothing`;
}

function figureOf({ passed, score }: ModelSummaryDto, metric: 'passed' | 'score'): number {
  return (metric === 'passed' ? passed?.rate : score?.mean) ?? -1;
}

/** The best model, and the others with their differences to it. */
function candidatesOf({ models, pairs, ranking }: Summary): [best: Candidate, others: Candidate[]] {
  const metric = ranking?.metric ?? 'passed';
  const candidates: Candidate[] = models.map((model) => ({
    model,
    cost: (metric === 'passed' ? model.cost_per_passed?.usd : model.cost_usd?.mean) ?? null,
  }));
  const best = candidates.reduce((one, other) => (isBefore(other, one, metric) ? other : one));
  const ofMetric = pairs.filter((pair) => pair.metric === metric);
  return [best, candidates.flatMap((one) => (one === best ? [] : withGap(one, best, ofMetric)))];
}

function isBefore(one: Candidate, other: Candidate, metric: Metric): boolean {
  const ahead = figureOf(one.model, metric) - figureOf(other.model, metric);
  return ahead > 0 || (ahead === 0 && (one.cost ?? Infinity) < (other.cost ?? Infinity));
}

function withGap(one: Candidate, best: Candidate, pairs: readonly ModelPairDto[]): Candidate[] {
  const [name, top] = [one.model.model, best.model.model];
  const pair = pairs.find(({ models }) => models.includes(name) && models.includes(top));
  if (pair === undefined || pair.difference === null || pair.ci === null) return [];
  const [low, high] = pair.ci;
  const isFirst = pair.models[0] === name;
  const [mean, ends]: [number, [number, number]] = isFirst
    ? [pair.difference, [low, high]]
    : [-pair.difference, [-high, -low]];
  return [{ ...one, gap: { pair, mean, ends } }];
}

/** A model of unknown cost is neither cheaper nor dearer. */
function isCheaper({ cost }: Candidate, than: Candidate): boolean {
  return cost !== null && than.cost !== null && cost < than.cost;
}

function isNotWorse({ gap }: Candidate, tolerance: number): boolean {
  return gap !== undefined && gap.ends[0] >= -tolerance;
}

function isWorse({ model, gap }: Candidate): boolean {
  return gap?.pair.verdict === (gap?.pair.models[0] === model.model ? 'worse' : 'better');
}

function cheapestOf(candidates: readonly Candidate[]): Candidate | undefined {
  return candidates.toSorted((one, other) => (one.cost ?? Infinity) - (other.cost ?? Infinity))[0];
}

/**
 * The rows that would show it to be not worse, or worse, if the difference stays and its interval narrows with their
 * square root; null where the difference is just the tolerance.
 */
function rowsToDecide({ gap }: Candidate, { groups }: Summary, tolerance: number): number | null {
  if (gap === undefined) return null;
  const { mean, ends, pair } = gap;
  const [margin, { rows, flips }] = [tolerance + mean, pair];
  if (margin === 0) return null;
  if (margin < 0) return Math.ceil(rows * ((ends[1] - mean) / mean) ** 2);
  if (flips?.gained === 0 && flips.lost === 0)
    return rowsNeeded({ mean, rows, clusters: groups || rows, standardError: 0 }, tolerance);
  return Math.ceil(rows * ((mean - ends[0]) / margin) ** 2);
}

const WORDS = {
  passed: { verb: 'passes as many as', answer: 'a passed answer' },
  score: { verb: 'scores as high as', answer: 'a call' },
} as const;
type Metric = keyof typeof WORDS;

function bestInWords({ model, cost }: Candidate, metric: Metric): string {
  const least =
    metric === 'passed'
      ? `on these rows no other passes more than its ${inPercent(figureOf(model, metric))}`
      : 'on these rows no other scores higher';
  return `Take ${model.model}: ${least}${cost === null ? '' : `, and ${WORDS[metric].answer} costs ${dollarsInWords(cost)}`}.`;
}

function takenInWords(
  { model, cost, gap }: Candidate,
  best: Candidate,
  { tolerance, metric }: { tolerance: number; metric: Metric },
): string {
  const { verb, answer } = WORDS[metric];
  const [own, other] = [cost ?? 0, best.cost ?? 0];
  const ends = gap?.ends.map(inPoints).join(' to ') ?? '';
  return `Take ${model.model}: it ${verb} ${best.model.model} to within ${Number(inPoints(tolerance))} points (${ends}), and ${answer} costs ${dollarsInWords(own)} instead of ${dollarsInWords(other)} (${lessInWords(own / other)}).`;
}

function openInWords({ model, cost, gap }: Candidate, taken: Candidate, rows: number | null): string {
  const enough = rows === null ? '' : `; about ${rowsInWords(Number(rows.toPrecision(2)))} would decide`;
  return `${model.model} costs ${lessInWords((cost ?? 0) / (taken.cost ?? 1))} and cannot be told apart on ${rowsInWords(gap?.pair.rows ?? 0)}${enough}.`;
}
