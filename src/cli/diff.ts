import { diffWordsWithSpace } from 'diff';
import { harmless, type Paint } from './text';

/** Worse differences than these are not worth waiting for. */
const TIMEOUT_MS = 300;

/** The second text with its differences from the first: `[-removed-]`, `{+added+}`, as in `git diff --word-diff`; undefined when they are too different to say in time. */
export function wordDifferences(base: string, other: string, paint: Paint): { text: string; added: number; removed: number } | undefined {
  const changes = diffWordsWithSpace(harmless(base), harmless(other), { timeout: TIMEOUT_MS });
  if (changes === undefined) return undefined;
  const count = (kind: 'added' | 'removed') => changes.filter((change) => change[kind]).reduce((sum, { value }) => sum + (value.match(/\S+/g)?.length ?? 0), 0);
  const text = changes.map(({ value, added, removed }) => {
    if (added) return paint(['green', 'underline'], `{+${value}+}`);
    return removed ? paint(['red', 'strikethrough'], `[-${value}-]`) : value;
  }).join('');
  return { text, added: count('added'), removed: count('removed') };
}
