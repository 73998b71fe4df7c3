import type { Eval } from '../../client/client';
import { factsOf } from '../compare/evaluated';

/** A shared eval as the screen shows it. Where the link leaves something out, members of `stored` are missing that an eval otherwise has. */
export interface SharedView {
  stored: Eval;
  prompt: string | undefined;
  input: string | undefined;
  createdAt: string;
  expiresAt: string;
  redacted: readonly string[];
  agreement: unknown;
}

/** Reads what the service shows of a shared eval; undefined where it is none. */
export function sharedView(answer: unknown): SharedView | undefined {
  const { prompt, input, models, results, meta, redacted, expires_at: expiresAt, agreement, checks, statistics } = factsOf(answer);
  if (!Array.isArray(models) || !Array.isArray(results)) return undefined;
  const stored: unknown = { eval_id: '', prompt: textOf(prompt) ?? '', models, results, meta: factsOf(meta), ...(checks !== undefined && { checks }), ...(statistics !== undefined && { statistics }) };
  return {
    stored: stored as Eval, prompt: textOf(prompt), input: textOf(input), createdAt: textOf(factsOf(meta)['created_at']) ?? '', expiresAt: textOf(expiresAt) ?? '',
    redacted: Array.isArray(redacted) ? redacted.filter((name) => typeof name === 'string') : [], agreement,
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
