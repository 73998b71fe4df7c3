import { Injectable } from '@nestjs/common';
import type { Caller } from '../../auth/caller';
import { hasScope, refuseWithoutScopes } from '../../auth/scopes';
import { BillingService } from '../../billing/billing.service';
import { ApiError } from '../../common/errors';
import { EvalsService, type StoredEval } from '../../evals/evals.service';
import { isUnfinished } from './run.entity';
import { RunsRepository, type RunRecord } from './runs.repository';

/** The result of a request for a run: a run, or the eval of an earlier compare with the same Idempotency-Key. */
export type Queued = { run: RunRecord; isReplay: boolean } | { stored: StoredEval };

/** The evals of Idempotency-Keys: stored evals, and evals that a run will create. */
@Injectable()
export class ReplaysService {
  constructor(
    private readonly evals: EvalsService,
    private readonly runs: RunsRepository,
    private readonly billing: BillingService,
  ) {}

  /** The user's eval with this id; undefined when there is none. */
  async find(user: Pick<Caller, 'userId'>, evalId: string): Promise<StoredEval | undefined> {
    return this.evals.find(user, evalId);
  }

  /**
   * The eval with the id that an Idempotency-Key stands for.
   * @throws ApiError idempotency_key_in_use while a run has still to make it, eval_erased, insufficient_scope when another key made it and this one may not read evals
   */
  async get(caller: Caller, evalId: string): Promise<StoredEval> {
    const stored = await this.find(caller, evalId) ?? await this.getLate(caller, evalId);
    if (!hasScope(caller.scopes, 'evals:read') && !(await this.billing.isChargedBy(caller.keyId, evalId))) refuseWithoutScopes(caller.scopes, 'evals:read');
    return stored;
  }

  /** For a request in the background: the run of that eval, or the eval where no run has made it; undefined when the run has released its key. @throws ApiError as `get` does */
  async getQueued(caller: Caller, evalId: string): Promise<Queued | undefined> {
    const run = await this.runs.findByEval(caller.userId, evalId);
    if (run !== undefined && run.keyId !== caller.keyId) refuseWithoutScopes(caller.scopes, 'evals:read');
    if (run !== undefined && isUnfinished(run)) return { run, isReplay: true };
    if (run !== undefined && run.state !== 'succeeded') return undefined;
    // Also for a run, because an erased eval is gone in both ways of asking.
    const stored = await this.get(caller, evalId);
    return run === undefined ? { stored } : { run, isReplay: true };
  }

  private async getLate(caller: Caller, evalId: string): Promise<StoredEval> {
    const run = await this.runs.findByEval(caller.userId, evalId);
    // A run that failed meanwhile has released the key: the next request runs.
    if (run !== undefined && run.state !== 'succeeded') throw new ApiError('idempotency_key_in_use', { retryAfterSeconds: 1 });
    // Stored or erased since the first look.
    return this.evals.getForIdempotencyKey(caller, evalId);
  }
}
