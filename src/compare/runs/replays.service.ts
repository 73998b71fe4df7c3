import { Injectable } from '@nestjs/common';
import type { Caller } from '../../auth/caller';
import { ApiError } from '../../common/errors';
import { EvalsService, type StoredEval } from '../../evals/evals.service';
import { RunsRepository } from './runs.repository';

/** The evals that Idempotency-Keys stand for: stored ones, and those that a run has still to make. */
@Injectable()
export class ReplaysService {
  constructor(
    private readonly evals: EvalsService,
    private readonly runs: RunsRepository,
  ) {}

  /** The user's eval with this id; undefined when there is none. */
  async find(user: Pick<Caller, 'userId'>, evalId: string): Promise<StoredEval | undefined> {
    return this.evals.find(user, evalId);
  }

  /** The eval with the id that an Idempotency-Key stands for. @throws ApiError idempotency_key_in_use while a run has still to make it, eval_erased */
  async get(caller: Caller, evalId: string): Promise<StoredEval> {
    const stored = await this.find(caller, evalId);
    if (stored !== undefined) return stored;
    if (await this.runs.isExpected(caller.userId, evalId)) throw new ApiError('idempotency_key_in_use', { retryAfterSeconds: 1 });
    // Stored or erased since the first look.
    return this.evals.getForIdempotencyKey(caller, evalId);
  }
}
