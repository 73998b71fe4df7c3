/** A cautious guess at the tokens of a text, for answers whose vendor did not count: one for three characters. */
export function estimatedTokens(text: string): number {
  return Math.ceil(text.length / 3);
}
