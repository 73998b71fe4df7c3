/** Phrases of the API, and what the command line says instead. */
const PHRASES: readonly (readonly [theirs: RegExp, ours: string])[] = [
  [/Prefer: respond-async/g, '--background'],
  [/\b(?:GET )?\/api\/v1\/models\b/g, 'mcs models'],
  [/\b(?:GET )?\/api\/v1\/evals\b(?!\/)/g, 'mcs evals'],
  [/(?<![.\w])max_cost_usd\b/g, '--max-cost'],
  [/\bIdempotency-Key\b/g, '--idempotency-key'],
];

/** Members of `options` whose option has another name. */
const OPTIONS: Readonly<Record<string, string>> = {
  max_cost_usd: '--max-cost',
  reasoning_effort: '--effort',
  response_format: '--schema',
  store: '--no-store',
};

/**
 * A sentence of the API in the words of the command line, which has options and commands instead of members, headers
 * and addresses.
 */
export function inOwnWords(message: string): string {
  const text = PHRASES.reduce((said, [theirs, ours]) => said.replace(theirs, ours), message);
  return text.replace(/\boptions\.([a-z]\w*)/g, (_found, name: string) =>
    Object.hasOwn(OPTIONS, name) ? (OPTIONS[name] ?? '') : `--${name.replaceAll('_', '-')}`,
  );
}
