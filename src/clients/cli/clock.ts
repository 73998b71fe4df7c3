/** Milliseconds of a clock that never goes back. */
export function now(): number {
  return performance.now();
}
