import { diffWordsWithSpace, type ChangeObject } from 'diff';
import { harmless, type Paint } from './text';

/** Worse differences than these are not worth waiting for. */
const TIMEOUT_MS = 300;

/** The difference of two texts, with words marked as in `git diff --word-diff`. */
export interface Differences {
  /** The second text: `[-removed-]`, `{+added+}`. */
  text: string;
  /** Both texts in parallel pieces; each piece ends where both have a line end. */
  sides: [base: string, other: string][];
  /** Words. */
  added: number;
  removed: number;
}

/** The differences of two texts, word by word; undefined when they are too different to say in time. */
export function wordDifferences(base: string, other: string, paint: Paint): Differences | undefined {
  const changes = diffWordsWithSpace(harmless(base), harmless(other), { timeout: TIMEOUT_MS });
  if (changes === undefined) return undefined;
  const count = (kind: 'added' | 'removed') =>
    changes.filter((change) => change[kind]).reduce((sum, { value }) => sum + (value.match(/\S+/g)?.length ?? 0), 0);
  return {
    text: changes.map((change) => marked(change, paint)).join(''),
    sides: sidesOf(changes, paint),
    added: count('added'),
    removed: count('removed'),
  };
}

function sidesOf(changes: readonly ChangeObject<string>[], paint: Paint): Differences['sides'] {
  let side: [base: string, other: string] = ['', ''];
  const sides = [side];
  for (const change of changes) {
    const [first = '', ...rest] = change.added || change.removed ? [marked(change, paint)] : change.value.split('\n');
    if (!change.added) side[0] += first;
    if (!change.removed) side[1] += first;
    for (const line of rest) sides.push((side = [line, line]));
  }
  return sides;
}

/** Line by line, so that no style continues into the next column. */
function marked({ value, added, removed }: ChangeObject<string>, paint: Paint): string {
  if (added) return eachLine(`{+${value}+}`, (line) => paint(['green', 'underline'], line));
  return removed ? eachLine(`[-${value}-]`, (line) => paint(['red', 'strikethrough'], line)) : value;
}

function eachLine(text: string, change: (line: string) => string): string {
  return text.split('\n').map(change).join('\n');
}
