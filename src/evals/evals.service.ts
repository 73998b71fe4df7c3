import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../auth/caller';
import { ApiError } from '../common/errors';
import { isId } from '../common/ids';
import type { Eval } from './eval.entity';
import { EvalsRepository, type EvalSummary, type PageStart } from './evals.repository';
import type { Result } from './result.entity';

/** An eval with its results in request order. */
export interface StoredEval {
  record: Eval;
  results: readonly Result[];
}

/** A page of a user's evals. */
export interface EvalPage {
  evals: EvalSummary[];
  /** Id to go on after; undefined on the last page. */
  next: string | undefined;
}

/** What was compared: record, list, get. */
@Injectable()
export class EvalsService {
  constructor(private readonly repository: EvalsRepository) {}

  /** Stores an eval whole, in the caller's transaction. */
  async record(tx: EntityManager, { record, results }: StoredEval): Promise<void> {
    await this.repository.insert(tx, record, results);
  }

  /** One page of the caller's evals, newest first. */
  async list(caller: Caller, limit: number, start: PageStart): Promise<EvalPage> {
    const evals = await this.repository.page(caller.userId, limit + 1, start);
    const hasMore = evals.length > limit;
    return { evals: evals.slice(0, limit), next: hasMore ? evals[limit - 1]?.id : undefined };
  }

  /** The user's eval of that id, if there is one. */
  async find({ userId }: Pick<Caller, 'userId'>, id: string): Promise<StoredEval | undefined> {
    return isId('eval', id) ? this.repository.find(userId, id) : undefined;
  }

  /** @throws ApiError not_found, also for a malformed id and for another user's eval */
  async get(caller: Caller, id: string): Promise<StoredEval> {
    const stored = await this.find(caller, id);
    if (stored === undefined) throw new ApiError('not_found', { message: 'There is no eval with this id.' });
    return stored;
  }
}
