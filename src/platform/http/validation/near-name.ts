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
    names.find((name) => slips(wanted, letters(name)) <= (wanted.length > 5 ? 2 : 1))
  );
}

function letters(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** How many letters have to be added, dropped or replaced to make one word of the other (Levenshtein). */
function slips(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [down, letter] of Array.from(one).entries()) {
    const next = [down + 1];
    for (const [across, against] of Array.from(other).entries()) {
      next.push(
        Math.min(
          (next[across] ?? 0) + 1,
          (row[across + 1] ?? 0) + 1,
          (row[across] ?? 0) + (letter === against ? 0 : 1),
        ),
      );
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
