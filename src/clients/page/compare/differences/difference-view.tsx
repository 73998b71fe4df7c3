import { type Signal, signal } from '@preact/signals';
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

/** An answer with its differences from the base: underlined what it has more, struck what it has not. */
export function DifferenceText({ view: { found, current }, text }: { view: DifferenceView; text: string }) {
  if (found === undefined)
    return (
      <>
        <p class="quiet">Too different to compare word by word.</p>
        <div class="answer-text" dir="auto">
          {text}
        </div>
      </>
    );
  return (
    <div class="answer-text" dir="auto">
      {found.parts.map(({ kind, text: part, change }, index) => {
        const isCurrent = change !== undefined && change === current.value;
        if (kind === 'added')
          return (
            <ins key={index} data-change={change} data-current={isCurrent}>
              {part}
            </ins>
          );
        return kind === 'removed' ? (
          <del key={index} data-change={change} data-current={isCurrent}>
            {part}
          </del>
        ) : (
          part
        );
      })}
    </div>
  );
}

/** Brings a change into view. */
function scrollToChange(change: number): void {
  const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  document
    .querySelector(`[data-change="${change}"]`)
    ?.scrollIntoView({ block: 'center', inline: 'nearest', behavior: isCalm ? 'auto' : 'smooth' });
}

/** Goes to the next or previous change. */
export function goToChange({ found, current }: Pick<DifferenceView, 'found' | 'current'>, step: 1 | -1): void {
  const next = neighborChange(current.value, step, found?.changes ?? 0);
  current.value = next;
  if (next !== undefined) scrollToChange(next);
}
