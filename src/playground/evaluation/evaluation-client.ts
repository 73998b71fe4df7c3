import type { Eval } from '../../client/client';
import { client } from '../session';

interface Signal { signal?: AbortSignal }

/** Calls that the client gets. */
export interface EvaluationClient {
  evals: {
    agreement(evalId: string, options: Signal): Promise<unknown>;
    drift(evalId: string, options: Signal & { against?: string }): Promise<unknown>;
    rerun(evalId: string, options: Signal & { details: boolean; checks: boolean; statistics: boolean; idempotencyKey?: string }): Promise<Eval>;
  };
}

export function evaluationClient(): EvaluationClient {
  return client() as unknown as EvaluationClient;
}
