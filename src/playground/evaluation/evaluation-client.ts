import type { Eval } from '../../client/client';
import { client } from '../session';

interface Signal { signal?: AbortSignal }

/** A link to an eval for people without a key. */
export interface Share {
  share_id: string;
  subject: string;
  redact: readonly string[];
  created_at: string;
  expires_at: string;
  status: 'live' | 'revoked' | 'expired';
  views: number;
}

/** Calls that the client gets. */
export interface EvaluationClient {
  evals: {
    agreement(evalId: string, options: Signal): Promise<unknown>;
    drift(evalId: string, query: { against?: string }, options: Signal): Promise<unknown>;
    rerun(evalId: string, options: Signal & { details: boolean; checks: boolean; statistics: boolean; idempotencyKey?: string }): Promise<Eval>;
  };
  shares: {
    create(body: { subject: string; expires_in_days: number; redact: readonly string[] }): Promise<{ share_id: string; url: string }>;
    list(query: object, options: Signal): AsyncIterable<Share>;
    revoke(shareId: string): Promise<void>;
    open(token: string, options: Signal): Promise<unknown>;
  };
}

export function evaluationClient(): EvaluationClient {
  return client() as unknown as EvaluationClient;
}
