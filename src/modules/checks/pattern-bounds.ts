const MAX_REPETITIONS = 1000;

/**
 * The problem of the bounds in braces of a pattern: their sum exceeds 1,000. Checked before compiling, because each of
 * them
 * multiplies the part before it. The rest of a sentence that begins with the pattern's path.
 */
export function boundsProblem(pattern: string): string | undefined {
  let sum = 0;
  // An escaped or bracketed brace is a character; counting it as a bound would refuse harmless patterns.
  for (const [, lower = '', upper = ''] of pattern.replace(/\\./gs, '').matchAll(/\{(\d+)(?:,(\d*))?\}/g))
    sum += Math.max(Number(lower), Number(upper));
  return sum <= MAX_REPETITIONS
    ? undefined
    : ` must have repetition bounds that add up to at most ${MAX_REPETITIONS.toLocaleString('en-US')}`;
}
