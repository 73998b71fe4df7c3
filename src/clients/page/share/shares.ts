/** The parts that a share can leave out. */
export const REDACTIONS = [
  { name: 'prompt', label: 'Hide the prompt and the input' },
  { name: 'outputs', label: 'Hide the answers' },
  { name: 'costs', label: 'Hide the costs' },
  { name: 'models', label: 'Hide the names of the models: Model A, B, … in a different order' },
] as const;

/** One of them. */
export type Redaction = (typeof REDACTIONS)[number]['name'];

/** How long a link works, in days. */
export const EXPIRIES = [
  [1, 'a day'],
  [7, 'a week'],
  [30, '30 days'],
  [90, '90 days'],
  [365, 'a year'],
] as const;
export const DEFAULT_EXPIRY_DAYS = 30;

/** The token within the address that the service gave for a share; undefined where there is none. */
export function tokenOf(url: string): string | undefined {
  return /\/shared\/([^/?#]+)$/.exec(url)?.[1];
}

/** The parts that a share leaves out, in words. */
export function redactionText(redact: readonly string[]): string {
  const words = { prompt: 'prompt', outputs: 'answers', costs: 'costs', models: 'names of the models' } as const;
  const hidden = redact.map((name) => (Object.hasOwn(words, name) ? words[name as keyof typeof words] : name));
  return hidden.length === 0 ? 'shows everything' : `hides ${hidden.join(', ')}`;
}
