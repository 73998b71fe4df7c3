import { diffWordsWithSpace } from 'diff';

/** A stretch of text that both answers share, or that only one of them has. */
interface Difference {
  kind: 'same' | 'added' | 'removed';
  text: string;
  /** Number of the change that this belongs to, from 0; what is removed and added at the same spot is one change. */
  change: number | undefined;
}

/** The differences of two answers, with the count of words. */
export interface Differences {
  parts: readonly Difference[];
  changes: number;
  added: number;
  removed: number;
}

/** Worse differences than these are not worth waiting for. */
const TIMEOUT_MS = 300;

/** The differences of `other` from `base`, word by word; undefined if they are too different to compute in time. */
export function differencesOf(base: string, other: string): Differences | undefined {
  const found = diffWordsWithSpace(base, other, { timeout: TIMEOUT_MS });
  if (found === undefined) return undefined;
  const parts: Difference[] = [];
  let changes = 0;
  for (const { value, added, removed } of found) {
    const kind = added ? 'added' : removed ? 'removed' : 'same';
    const previous = parts.at(-1);
    if (kind !== 'same' && (previous === undefined || previous.kind === 'same')) changes += 1;
    parts.push({ kind, text: value, change: kind === 'same' ? undefined : changes - 1 });
  }
  return { parts, changes, added: countWords(parts, 'added'), removed: countWords(parts, 'removed') };
}

function countWords(parts: readonly Difference[], kind: Difference['kind']): number {
  return parts
    .filter((part) => part.kind === kind)
    .reduce((sum, { text }) => sum + (text.match(/\S+/g)?.length ?? 0), 0);
}
