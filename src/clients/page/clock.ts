/** Milliseconds of a clock that never goes back; only differences mean anything. */
export function monotonicMs(): number {
  return performance.now();
}

/**
 * The current instant by the clock of this machine, which may be wrong: for display only, never for what the service
 * decides.
 */
export function now(): Date {
  return new Date();
}
