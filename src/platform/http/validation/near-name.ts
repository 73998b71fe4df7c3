import { distance } from 'fastest-levenshtein';

const MAX_NAME_CHARACTERS = 40;
const MIN_PREFIX_CHARACTERS = 4;

/**
 * Which of the names a misspelled one was probably meant to be: the same letters, the beginning, or a slip of the
 * finger or two away.
 */
export function nearName(misspelled: string, names: readonly string[]): string | undefined {
  if (misspelled.length > MAX_NAME_CHARACTERS) return undefined;
  const wanted = letters(misspelled);
  return (
    names.find((name) => letters(name) === wanted) ??
    names.find((name) => wanted.length >= MIN_PREFIX_CHARACTERS && letters(name).startsWith(wanted)) ??
    names.find((name) => distance(wanted, letters(name)) <= (wanted.length > 5 ? 2 : 1))
  );
}

function letters(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}
