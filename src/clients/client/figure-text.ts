/** Milliseconds of something that is still going on, as on the page and in `mcs`: tenths are enough. */
export function elapsedText(ms: number): string {
  return `${(Math.max(0, ms) / 1000).toFixed(1)} s`;
}

/** Such as "after 3 tries"; undefined where one was enough, or the count is not known. */
export function triesText(attempts: number | undefined): string | undefined {
  return attempts === undefined || attempts < 2 ? undefined : `after ${attempts} tries`;
}
