import type { Eval, Statistics } from '../client/client';
import { shortAmount } from '../client/amount-text';
import { intervalMeaning, leadWords, LOOKING_AGAIN } from '../client/plain-words';
import { cellText, type Cell, type Table } from './table';
import type { Terminal } from './terminal';
import { samplesOf } from './watch-state';

type ModelStatistics = Statistics['models'][number];
type Interval = readonly number[] | null | undefined;

/** The content of the table's brackets. */
const BRACKETS = 'Brackets show a range; - means too few answers.';

/** The figures of an eval that has some: for people with a word on what they mean, for programs in columns. */
export function printStatistics(terminal: Terminal, stored: Eval): void {
  const { statistics } = stored;
  if (statistics === undefined) return;
  if (!terminal.isWatched) return terminal.printTable(statisticsColumns(statistics));
  const { samples, models, fastest, cheapest } = statistics;
  terminal.print('');
  const leaders = leaderLines(stored);
  if (leaders.length > 0) terminal.printSentences(...leaders, '');
  terminal.printTable(statisticsTable(statistics));
  terminal.print('');
  const reasons = models.length === 1 ? [] : [fastest, cheapest].flatMap((leader) => leader?.because ?? []);
  terminal.printSentences(...reasons, ...(samples === 1 ? [] : [BRACKETS, intervalMeaning(samples), LOOKING_AGAIN]));
  terminal.print('');
}

/** Which of the samples is seen, and how to see another. */
export function sampleWords(stored: Eval, sample: number): string {
  return `Sample ${sample} of ${samplesOf(stored)}; mcs eval ${stored.eval_id} --sample N shows another.`;
}

/** For people: a line for each model, with intervals in brackets; what the checks say only where there are some. */
export function statisticsTable({ models }: Statistics): Table {
  const hasChecks = models.some(({ checks }) => checks !== undefined);
  return {
    head: ['model', 'answered', 'p50 ms', 'p90 ms', 'a call costs', 'texts', ...(hasChecks ? ['checks passed'] : [])],
    lines: models.map((one) => [
      one.model,
      `${one.answered} of ${one.answered + one.failed}`,
      withInterval(one.latency_ms?.p50, one.latency_ms?.p50_ci),
      withInterval(one.latency_ms?.p90, one.latency_ms?.p90_ci),
      amountOf(one.cost_usd?.mean),
      textsOf(one),
      ...(hasChecks ? [passedOf(one.checks)] : []),
    ]),
    flexible: 0,
    optional: [5, 3],
  };
}

/** For programs: every figure in a separate column, empty if there is none. */
export function statisticsColumns({ models }: Statistics): Table {
  return {
    head: [
      'model',
      'answered',
      'failed',
      'p50_ms',
      'p50_low',
      'p50_high',
      'p90_ms',
      'p90_low',
      'p90_high',
      'cost_mean_usd',
      'checks_passed',
      'checks_of',
      'checks_low',
      'checks_high',
      'texts',
      'modal_share',
      'mean_similarity',
    ],
    lines: models.map((one) =>
      [
        one.model,
        one.answered,
        one.failed,
        ...latencyCells(one),
        one.cost_usd?.mean,
        ...checkCells(one),
        ...agreementCells(one),
      ].map(cellText),
    ),
    flexible: 0,
  };
}

/** Which of several models is the fastest and which the cheapest, as far as the answers tell. */
export function leaderLines(stored: Eval): string[] {
  return (['fastest', 'cheapest'] as const).flatMap((kind) => {
    const words = leadWords(stored, kind);
    return words === undefined ? [] : [[words.model, words.claim, words.luck].filter(Boolean).join(' ')];
  });
}

/** A share in percent: `92 %`, never a rounded 100 or 0. */
export function percent(share: number): string {
  if (share > 0.99 && share < 1) return '>99 %';
  return share > 0 && share < 0.01 ? '<1 %' : `${Math.round(share * 100)} %`;
}

function latencyCells({ latency_ms: latency }: ModelStatistics): Cell[] {
  return [latency?.p50, ...ends(latency?.p50_ci), latency?.p90, ...ends(latency?.p90_ci)];
}

function checkCells({ checks }: ModelStatistics): Cell[] {
  return [checks?.passed, checks?.of, ...ends(checks?.ci)];
}

function agreementCells({ agreement }: ModelStatistics): Cell[] {
  return [agreement?.distinct, agreement?.modal_share, agreement?.mean_similarity];
}

/**
 * A figure in whole milliseconds, since more digits mean nothing, with its interval in brackets: `812 [790 to 840]`.
 */
export function withInterval(value: number | null | undefined, interval: Interval): string {
  if (value === undefined || value === null) return '-';
  return `${Math.round(value)} ${inBrackets(interval, (end) => String(Math.round(end)))}`;
}

function passedOf(checks: ModelStatistics['checks']): string {
  return checks === undefined ? '-' : `${checks.passed} of ${checks.of} ${inBrackets(checks.ci, percent)}`;
}

function textsOf({ agreement }: ModelStatistics): string {
  if (agreement === null) return '-';
  return agreement.distinct === 1 ? '1' : `${agreement.distinct}, one of them ${percent(agreement.modal_share)}`;
}

/** An interval in brackets, or that there is none. */
export function inBrackets<T>(interval: readonly T[] | null | undefined, show: (end: T) => string): string {
  return `[${interval?.map(show).join(' to ') ?? '-'}]`;
}

/** A short amount, or `-` for none. */
export function amountOf(amount: string | undefined): string {
  return amount === undefined ? '-' : shortAmount(amount);
}

/** Both ends of an interval, for columns. */
export function ends(interval: Interval): Cell[] {
  return [interval?.[0] ?? null, interval?.[1] ?? null];
}
