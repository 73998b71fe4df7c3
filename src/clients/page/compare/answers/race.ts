import { timeText } from '../../../client/time-text';
import { maxAmount, shareOf } from '../../money';
import { factsOf } from '../evaluated';
import { type ColumnState, isOpen } from '../run/run';
import { type Figure, money, numberOf } from './figures';

/** A model in the race. Times are in milliseconds since the run was sent; undefined where not known. */
export interface Lane {
  firstText: number | undefined;
  /** The time it took, or has taken until now. */
  end: number | undefined;
  isWriting: boolean;
  /** The exact cost, once it has ended. */
  cost: string | undefined;
}

/**
 * The end of the scale at the start of a run. While somebody writes it doubles, so that bars grow and seldom shrink.
 */
const FIRST_SCALE_MS = 2000;

/**
 * The lane of a model by its answers: of several, the medians and the mean cost, of the service where it gives them.
 */
export function laneOf(answers: readonly ColumnState[], statistics: unknown, elapsedMs: number | undefined): Lane {
  const ended = answers.filter(({ phase }) => phase === 'ended');
  // The times of failures count only where nothing else is known.
  const counted = ended.length > 0 ? ended : answers.filter(({ phase }) => phase === 'failed');
  const isWriting = answers.some(isOpen);
  const lane = {
    ...measured(
      counted.map(({ result }) => result),
      statistics,
    ),
    isWriting,
    cost: costOf(answers.length === 1 ? ended[0] : undefined, statistics),
  };
  if (counted.length > 0 || !isWriting || elapsedMs === undefined) return lane;
  return { ...lane, end: elapsedMs, firstText: answers.length > 1 ? undefined : answers[0]?.firstTextMs };
}

function measured(results: readonly unknown[], statistics: unknown): Pick<Lane, 'firstText' | 'end'> {
  const { latency_ms: latency, ttft_ms: ttft } = factsOf(statistics);
  return {
    firstText:
      numberOf(factsOf(ttft)['p50']) ?? median(results.map((result) => factsOf(factsOf(result)['details'])['ttft_ms'])),
    end: numberOf(factsOf(latency)['p50']) ?? median(results.map((result) => factsOf(result)['latency_ms'])),
  };
}

function costOf(only: ColumnState | undefined, statistics: unknown): string | undefined {
  const cost = factsOf(factsOf(statistics)['cost_usd'])['mean'] ?? factsOf(only?.result)['cost_usd'];
  return typeof cost === 'number' ? String(cost) : typeof cost === 'string' ? cost : undefined;
}

/**
 * The time at the end of the scale: doubled whenever a run that goes on has reached it, and at last the slowest
 * model's.
 */
export function scaleOf(lanes: readonly Lane[]): number {
  const longest = Math.max(0, ...lanes.map(({ end }) => end ?? 0));
  if (!lanes.some(({ isWriting }) => isWriting)) return longest;
  let scale = FIRST_SCALE_MS;
  while (scale < longest) scale *= 2;
  return scale;
}

/** Where a time is on a scale, from 0 to 1. On a scale of nothing all are at its end. */
export function placeOf(ms: number | undefined, scale: number): number {
  if (ms === undefined) return 0;
  return scale <= 0 ? 1 : Math.min(1, Math.max(0, ms) / scale);
}

/** The lengths of the cost bars, from 0 to 1; none before the last model has ended, and none where nothing was paid. */
export function costShares(lanes: readonly Lane[]): (number | undefined)[] {
  const most = lanes.some(({ isWriting }) => isWriting) ? '0' : maxAmount(lanes.flatMap(({ cost }) => cost ?? []));
  return lanes.map(({ cost }) => (cost === undefined || most === '0' ? undefined : shareOf(cost, most)));
}

/** The cost beside its bar, where it is known. */
export function costText({ cost }: Lane): Figure | undefined {
  return cost === undefined ? undefined : money(cost);
}

/** The bar in words. */
export function laneText({ firstText, end, isWriting }: Lane, samples: number): string {
  const times = [
    ...(firstText === undefined ? [] : [`first text after ${timeText(firstText)}`]),
    ...(end === undefined || isWriting ? [] : [`end after ${timeText(end)}`]),
  ];
  return times.join(', ') + (samples > 1 && times.length > 0 ? ` (medians of ${samples})` : '');
}

function median(values: readonly unknown[]): number | undefined {
  const sorted = values.flatMap((value) => numberOf(value) ?? []).sort((one, other) => one - other);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return low === undefined || high === undefined ? undefined : (low + high) / 2;
}
