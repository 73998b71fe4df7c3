import { signal, type Signal } from '@preact/signals';
import { groupDigits } from '../limits';
import type { ColumnState } from '../run/run';
import type { Differences } from './differences';
import type * as differencesModule from './differences';

/** Which two answers are compared, by their numbers from 0. */
export interface ColumnPair {
  base: number;
  other: number;
}

/** The differences that are shown. */
export interface DifferenceView {
  pair: ColumnPair;
  /** Undefined when the two are too different to say in time. */
  found: Differences | undefined;
  /** The change that was gone to last. */
  current: Signal<number | undefined>;
}

/** The answers that can be compared: all that ended with text. */
export function comparable(columns: readonly ColumnState[]): number[] {
  return columns.flatMap(({ phase, text }, index) => (phase === 'ended' && text !== '' ? [index] : []));
}

/** The two that are compared first: the first two that ended, those at `preferred` positions before the others. */
export function firstPair(columns: readonly ColumnState[], preferred: readonly number[] = []): ColumnPair | undefined {
  const positions = comparable(columns);
  const [base, other] = [
    ...positions.filter((each) => preferred.includes(each)),
    ...positions.filter((each) => !preferred.includes(each)),
  ];
  return base === undefined || other === undefined ? undefined : { base, other };
}

/** The pair with another base or other; where both would be the same, the two change sides. */
export function changePair({ base, other }: ColumnPair, change: Partial<ColumnPair>): ColumnPair {
  const next = { base, other, ...change };
  return next.base === next.other ? { base: other, other: base } : next;
}

/** Compares the two; the code for that is loaded by the first comparison. Rejects where it cannot be had. */
export async function viewOf(
  pair: ColumnPair,
  columns: readonly ColumnState[],
  load: () => Promise<Pick<typeof differencesModule, 'differencesOf'>>,
): Promise<DifferenceView> {
  const { differencesOf } = await load();
  const textOf = (index: number): string => columns[index]?.text ?? '';
  return { pair, found: differencesOf(textOf(pair.base), textOf(pair.other)), current: signal(undefined) };
}

/** The change after, or with -1 before, the current one; around the end to the other. */
export function neighborChange(current: number | undefined, step: 1 | -1, changes: number): number | undefined {
  if (changes === 0) return undefined;
  if (current === undefined) return step === 1 ? 0 : changes - 1;
  return (current + step + changes) % changes;
}

/** Such as "31 added, 28 removed". */
export function countText({ changes, added, removed }: Differences): string {
  return changes === 0 ? 'the same text' : `${groupDigits(added)} added, ${groupDigits(removed)} removed`;
}
