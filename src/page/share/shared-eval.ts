import type { Eval } from '../../client/client';
import { factsOf } from '../compare/evaluated';

const FIGURES: readonly string[] = ['latency_ms', 'cost_usd', 'input_tokens', 'output_tokens', 'total_tokens'];

/** A shared eval as the screen shows it. Where the link leaves something out, members of `stored` are missing that an eval otherwise has. */
export interface SharedView {
  stored: Eval;
  prompt: string | undefined;
  input: string | undefined;
  system: string | undefined;
  effort: string | undefined;
  createdAt: string;
  expiresAt: string;
  redacted: readonly string[];
  agreement: unknown;
}

/** Reads what the service shows of a shared eval; undefined where it is none. */
export function sharedView(answer: unknown): SharedView | undefined {
  const { prompt, input, system, reasoning_effort: effort, models, results, meta, redacted, expires_at: expiresAt, agreement, checks, statistics } = factsOf(answer);
  if (!Array.isArray(models) || !Array.isArray(results)) return undefined;
  const stored: unknown = { eval_id: '', prompt: textOf(prompt) ?? '', models, ...figuresOf({ results, meta: factsOf(meta), redacted }), ...(checks !== undefined && { checks }), ...(statistics !== undefined && { statistics }) };
  return {
    stored: stored as Eval, prompt: textOf(prompt), input: textOf(input), system: textOf(system), effort: textOf(effort), createdAt: textOf(factsOf(meta)['created_at']) ?? '', expiresAt: textOf(expiresAt) ?? '',
    redacted: Array.isArray(redacted) ? redacted.filter((name) => typeof name === 'string') : [], agreement,
  };
}

/** The results and their leads. Who judges answers without names should not see first which one was quick, long or cheap. */
function figuresOf({ results, meta, redacted }: { results: readonly unknown[]; meta: object; redacted: unknown }): { results: readonly unknown[]; meta: object } {
  if (!Array.isArray(redacted) || !redacted.includes('models')) return { results, meta };
  return { results: results.map((result) => Object.fromEntries(Object.entries(factsOf(result)).filter(([name]) => !FIGURES.includes(name)))), meta: { ...meta, fastest_model: '', cheapest_model: '' } };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
