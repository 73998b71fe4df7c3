import type { ExperimentComparison, ExperimentSummary } from '../client/client';
import { rankText } from '../client/experiment-text';
import { correctedWords, judgesTable, judgeWords } from './judges';
import { amountOf, ends, inBrackets, percent, withInterval } from './statistics';
import { cellText, type Cell, type Table } from './table';
import { pluralize } from './text';
import type { Terminal } from './terminal';

type ModelSummary = ExperimentSummary['models'][number];
type Rank = { best: number; worst: number } | undefined;
/** With more models, only the pairs of the ranking are put into words. */
const MAX_MODELS_IN_WORDS = 3;

/** A summary: for people headline, models, pairs in words and warnings, for programs a line for each model. */
export function printSummary(terminal: Terminal, summary: ExperimentSummary): void {
  if (!terminal.isWatched) return terminal.printTable(summaryColumns(summary));
  terminal.printSentences(...findingsOf(summary));
  terminal.print('');
  terminal.printTable(summaryTable(summary));
  const { models, pairs, ranking, warnings, judgment } = summary;
  if (judgment !== null) {
    terminal.print('');
    terminal.printTable(judgesTable(judgment.judges));
  }
  const words = pairs
    .filter(({ metric }) => models.length <= MAX_MODELS_IN_WORDS || metric === ranking?.metric)
    .map((pair) => pair.words);
  terminal.print('');
  terminal.printSentences(...words, ...correctedWords(summary), ...warnings.map((warning) => `! ${warning}`));
}

/** The recommendation, which comes at the end, the headline, and what judges say. */
export function findingsOf(summary: ExperimentSummary): string[] {
  const { recommendation, headline } = summary;
  return [...(recommendation ? [recommendation.words] : []), headline, ...judgeWords(summary)];
}

/** For people: the models by place. */
export function summaryTable(summary: ExperimentSummary): Table {
  const isByScore = summary.ranking?.metric === 'score';
  const hasPassed = summary.models.some(({ cost_per_passed: cost }) => cost !== null);
  return {
    head: [
      'model',
      'place',
      isByScore ? 'score' : 'passed',
      hasPassed ? '1,000 passed cost' : 'a call costs',
      'p50 ms',
      'calls answered',
    ],
    lines: byPlace(summary).map(({ model, rank }) => [
      model.model,
      placeOf(rank),
      isByScore ? meanOf(model) : rateOf(model),
      hasPassed ? perThousandOf(model) : amountOf(model.cost_usd?.mean),
      withInterval(model.latency_ms?.p50, model.latency_ms?.p50_ci),
      `${model.answered} of ${model.answered + model.failed}`,
    ]),
    flexible: 0,
    optional: [5, 4],
  };
}

/** For programs: every figure in a separate column, empty if there is none. */
export function summaryColumns(summary: ExperimentSummary): Table {
  return {
    head: [
      'model',
      'best_place',
      'worst_place',
      'rows',
      'answered',
      'failed',
      'coverage',
      'passed',
      'passed_low',
      'passed_high',
      'score',
      'score_low',
      'score_high',
      'cost_mean_usd',
      'cost_total_usd',
      'cost_per_passed_usd',
      'cost_per_passed_low',
      'cost_per_passed_high',
      'p50_ms',
      'p90_ms',
      'timeouts',
    ],
    lines: byPlace(summary).map(({ model, rank }) =>
      [
        model.model,
        rank?.best,
        rank?.worst,
        model.rows,
        model.answered,
        model.failed,
        model.coverage,
        ...qualityCells(model),
        ...costCells(model),
      ].map(cellText),
    ),
    flexible: 0,
  };
}

/** A comparison: for people the models and what changed in words, for programs a line for each model. */
export function printComparison(terminal: Terminal, comparison: ExperimentComparison): void {
  if (!terminal.isWatched) return terminal.printTable(comparisonColumns(comparison));
  const { words, unmatched, request_changed: changed, models } = comparison;
  terminal.printSentences(words);
  terminal.print('');
  terminal.printTable({
    head: ['model', 'before', 'after', 'difference', 'verdict', 'gained', 'lost'],
    lines: models.map((model) => {
      const change = model.metrics.passed ?? model.metrics.score;
      return [
        nameOf(model),
        share(change?.before),
        share(change?.after),
        pointsOf(change),
        (model.verdict ?? '-').replaceAll('_', ' '),
        String(model.flips.gained_count),
        String(model.flips.lost_count),
      ];
    }),
    right: [5, 6],
    flexible: 0,
    optional: [6, 5],
  });
  terminal.print('');
  terminal.printSentences(
    ...(models.length > 1 ? models.map((model) => model.words) : []),
    ...(changed.length > 0 ? [`! The requests differ in: ${changed.join(', ')}.`] : []),
    ...(unmatched.count > 0
      ? [`! In one experiment only, or with another content: ${pluralize(unmatched.count, 'row')}.`]
      : []),
  );
}

function comparisonColumns({ models }: ExperimentComparison): Table {
  return {
    head: [
      'model',
      'against_model',
      'verdict',
      'rows',
      'before',
      'after',
      'difference',
      'low',
      'high',
      'p_adjusted',
      'gained',
      'lost',
      'cost_per_passed_before',
      'cost_per_passed_after',
    ],
    lines: models.map(({ model, against_model: against, verdict, metrics, flips, cost_per_passed: cost }) => {
      const change = metrics.passed ?? metrics.score;
      return [
        model,
        against,
        verdict,
        change?.rows,
        change?.before,
        change?.after,
        change?.difference,
        ...ends(change?.ci),
        change?.p_adjusted,
        flips.gained_count,
        flips.lost_count,
        cost.before?.usd,
        cost.after?.usd,
      ].map(cellText);
    }),
    flexible: 0,
  };
}

function qualityCells({ passed, score }: ModelSummary): Cell[] {
  return [passed?.rate, ...ends(passed?.ci), score?.mean, ...ends(score?.ci)];
}

function costCells({ cost_usd: cost, cost_per_passed: passed, latency_ms: latency }: ModelSummary): Cell[] {
  return [cost?.mean, cost?.total, passed?.usd, ...ends(passed?.ci), latency?.p50, latency?.p90, latency?.timeouts];
}

function byPlace({ models, ranking }: ExperimentSummary): { model: ModelSummary; rank: Rank }[] {
  const placed = (ranking?.models ?? []).flatMap(({ model: id, rank }) =>
    models.filter(({ model }) => model === id).map((model) => ({ model, rank })),
  );
  return placed.length === models.length ? placed : models.map((model) => ({ model, rank: undefined }));
}

function placeOf(rank: Rank): string {
  return rank === undefined ? '-' : rankText(rank);
}

function rateOf({ passed }: ModelSummary): string {
  return passed === null ? '-' : `${percent(passed.rate)} ${inBrackets(passed.ci, percent)}`;
}

function meanOf({ score }: ModelSummary): string {
  return score === null ? '-' : `${score.mean.toFixed(2)} ${inBrackets(score.ci, (end) => end.toFixed(2))}`;
}

function perThousandOf({ cost_per_passed: cost }: ModelSummary): string {
  if (cost === null) return '-';
  const thousand = (usd: number) => amountOf((1000 * usd).toFixed(12));
  return `${thousand(cost.usd)} ${inBrackets(cost.ci, thousand)}`;
}

function nameOf({ model, against_model: against }: ExperimentComparison['models'][number]): string {
  return model === against ? model : `${against} → ${model}`;
}

function share(value: number | null | undefined): string {
  return value === null || value === undefined ? '-' : percent(value);
}

function pointsOf(change: { difference: number | null; ci: readonly number[] | null } | null | undefined): string {
  if (change?.difference === undefined || change.difference === null) return '-';
  const points = (value: number) => (100 * value).toFixed(1);
  return `${points(change.difference)} ${inBrackets(change.ci, points)}`;
}
