/** Less is what a slow answer or a clock that is being corrected may look like. */
export const MAX_CLOCK_DIFFERENCE_MS = 2000;

/**
 * By how many milliseconds the clock of this machine is ahead of that of the database, at least; negative when it is
 * behind.
 */
export async function aheadOfDatabaseMs(
  ask: (text: string) => Promise<{ ms: number }>,
  clock: { now(): Date },
): Promise<number> {
  const before = clock.now().getTime();
  const { ms } = await ask('select (extract(epoch from clock_timestamp()) * 1000)::double precision as ms');
  const after = clock.now().getTime();
  // Somewhere between the two it was read.
  return ms < before ? before - ms : Math.min(after - ms, 0);
}

/** The same for people. */
export function describeClockDifference(aheadMs: number): string {
  const ms = Math.abs(aheadMs);
  const words = ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`;
  return `The clock of this machine is ${words} ${aheadMs < 0 ? 'behind' : 'ahead of'} that of the database`;
}
