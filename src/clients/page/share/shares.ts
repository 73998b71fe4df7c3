import type { Eval, SharedEval } from '../../client/client';

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

const FIGURES: readonly string[] = ['latency_ms', 'cost_usd', 'input_tokens', 'output_tokens', 'total_tokens'];

/** The eval of a link. Where the link leaves something out, members are missing that an eval otherwise has. */
export function evalOfShare({ prompt = '', models, results, meta, redacted, checks, statistics }: SharedEval): Eval {
  const figures = redacted.includes('models') ? withoutFigures(results, meta) : { results, meta };
  return { eval_id: '', prompt, models, ...figures, checks, statistics } as Eval;
}

/** Who judges answers without names should not see first which one was quick, long or cheap. */
function withoutFigures(results: SharedEval['results'], meta: SharedEval['meta']): object {
  return {
    results: results.map((result) =>
      Object.fromEntries(Object.entries(result).filter(([name]) => !FIGURES.includes(name))),
    ),
    meta: { ...meta, fastest_model: '', cheapest_model: '' },
  };
}
