const MAX_REPETITIONS = 1000;

/**
 * What is wrong with the bounds in braces of a pattern: they add up to more than 1,000. Looked at before anything is compiled, because each of them
 * multiplies what stands before it. The rest of a sentence that begins with the pattern's path.
 */
export function boundsProblem(pattern: string): string | undefined {
  let sum = 0;
  // What is escaped or stands in brackets is a character; to count it as a bound anyway would refuse what is harmless.
  for (const [, lower = '', upper = ''] of pattern.replace(/\\./gs, '').matchAll(/\{(\d+)(?:,(\d*))?\}/g)) sum += Math.max(Number(lower), Number(upper));
  return sum <= MAX_REPETITIONS ? undefined : ` must have repetition bounds that add up to at most ${MAX_REPETITIONS.toLocaleString('en-US')}`;
}
