import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Actor } from '../audit/actor';
import { AuditService } from '../audit/audit.service';
import { facts } from '../audit/changes';
import type { Caller } from '../auth/caller';
import { Clock } from '../../common/clock';
import { ApiError } from '../../common/errors';
import { isId } from '../../common/ids';
import { paginate, type Page } from '../../common/page';
import { Registration } from '../../common/registration';
import type { Transaction } from '../../platform/database/transaction';
import type { Eval } from './eval.entity';
import type { AnswerLength, EvalAnswers } from './eval-answers';
import { EvalsRepository, type EvalFilter, type EvalSummary, type PageStart } from './evals.repository';
import type { Result } from './result.entity';

/** An eval with its results in request order. */
export interface StoredEval {
  record: Eval;
  results: readonly Result[];
}

@Injectable()
export class EvalsService implements OnApplicationBootstrap {
  /** Finds an experiment of a user, or rejects with not_found; the module of experiments registers it. */
  readonly experiments = new Registration<
    (caller: Pick<Caller, 'userId'>, id: string) => Promise<{ state: string; spec: { judge?: object } }>
  >('No module has registered how experiments are found, so their evals cannot be listed.');

  constructor(
    private readonly repository: EvalsRepository,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.experiments.get();
  }

  /**
   * One page of the caller's evals, newest first. @throws ApiError not_found for an experiment that the caller does not
   * have
   */
  async list(caller: Caller, limit: number, start: PageStart): Promise<Page<EvalSummary>> {
    if (start.experimentId !== undefined) await this.experiments.get()(caller, start.experimentId);
    return paginate(await this.repository.page(caller.userId, limit + 1, start), limit, ({ id }) => id);
  }

  /**
   * One page of those among the caller's evals that fit, newest first; it may be short or empty although there are
   * more, which begin after the last that was looked at. @throws ApiError not_found as `list` does
   */
  async search(
    caller: Caller,
    limit: number,
    filter: EvalFilter,
    start: Omit<PageStart, 'offset'>,
  ): Promise<Page<EvalSummary>> {
    if (start.experimentId !== undefined) await this.experiments.get()(caller, start.experimentId);
    const { evals, searchedTo } = await this.repository.search(caller.userId, limit + 1, filter, start);
    const page = paginate(evals, limit, ({ id }) => id);
    return { ...page, next: page.next ?? searchedTo };
  }

  /** The user's eval with this id; undefined when there is none or the id is malformed. */
  async find({ userId }: Pick<Caller, 'userId'>, id: string): Promise<StoredEval | undefined> {
    return isId('eval', id) ? this.repository.find(userId, id) : undefined;
  }

  async answersOf(
    { userId }: Pick<Caller, 'userId'>,
    groups: readonly (readonly string[])[],
  ): Promise<EvalAnswers[][]> {
    return this.repository.answers(userId, groups);
  }

  /** The models that answered in some evals, as the vendors name them, by the model that was asked. */
  async answeringModels({ userId }: Pick<Caller, 'userId'>, ids: readonly string[]): Promise<Map<string, string[]>> {
    return new Map(
      (await this.repository.answeringModels(userId, ids)).map(({ model, answeredBy }) => [model, answeredBy]),
    );
  }

  /** The lengths of answers in some evals. */
  async answerLengths({ userId }: Pick<Caller, 'userId'>, ids: readonly string[]): Promise<AnswerLength[]> {
    return this.repository.answerLengths(userId, ids);
  }

  async has({ userId }: Pick<Caller, 'userId'>, id: string): Promise<boolean> {
    return isId('eval', id) && this.repository.exists(userId, id);
  }

  /** The caller's eval with this id. @throws ApiError not_found, also for a malformed id and for another user's eval */
  async get(caller: Caller, id: string): Promise<StoredEval> {
    const stored = await this.find(caller, id);
    if (stored === undefined) throw evalNotFound();
    return stored;
  }

  /**
   * The caller's eval with this id without details, as the JSON text of the answer. @throws ApiError not_found as `get`
   * does
   */
  async getAsJson({ userId }: Caller, id: string): Promise<string> {
    const json = isId('eval', id) ? await this.repository.findAsJson(userId, id) : undefined;
    if (json === undefined) throw evalNotFound();
    return json;
  }

  /**
   * The eval of an Idempotency-Key. @throws ApiError eval_erased, idempotency_key_in_use while a background job still
   * has to store it
   */
  async getForIdempotencyKey(caller: Caller, id: string): Promise<StoredEval> {
    const stored = await this.find(caller, id);
    if (stored !== undefined) return stored;
    if (await this.repository.isErased(caller.userId, id))
      throw new ApiError('eval_erased', { param: 'Idempotency-Key' });
    throw new ApiError('idempotency_key_in_use', { retryAfterSeconds: 1 });
  }

  /** As `erase`, for those of these ids that the user still has, within the transaction `tx`. Returns their number. */
  async eraseAll(tx: Transaction, userId: string, ids: readonly string[]): Promise<number> {
    return (await this.repository.eraseAll(tx, userId, ids, this.clock.now())).length;
  }

  /**
   * Permanently deletes the prompt, input and outputs of an eval; its charge remains. @throws ApiError not_found as
   * `get` does
   */
  async erase(actor: Actor, caller: Caller, id: string): Promise<void> {
    if (!isId('eval', id)) throw evalNotFound();
    await this.audit.change(actor, async (tx) => {
      if (!(await this.repository.erase(tx, caller.userId, id, this.clock.now()))) throw evalNotFound();
      return {
        value: undefined,
        note: { action: 'eval.erased', targetType: 'eval', targetId: id, changes: facts({ userId: caller.userId }) },
      };
    });
  }
}

export function evalNotFound(): ApiError {
  return new ApiError('not_found', { message: 'No eval with this id exists.' });
}
