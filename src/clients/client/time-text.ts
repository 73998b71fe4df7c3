/**
 * A duration as on the page and in `mcs`: whole milliseconds below a second ("12 ms"), above it seconds with two
 * decimals ("1.21 s").
 */
export function timeText(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  return whole < 1000 ? `${whole} ms` : `${(whole / 1000).toFixed(2)} s`;
}
