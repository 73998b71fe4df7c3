import { Injectable } from '@nestjs/common';
import type { Caller } from '../auth/caller';
import { Clock } from '../../common/clock';
import { ApiError } from '../../common/errors';
import { isId } from '../../common/ids';
import type { JudgmentInclusions } from '../../platform/http/include.dto';
import type { Annotation } from './annotation.entity';
import { evalNotFound } from './evals.service';
import {
  JudgmentsRepository,
  type EvalJudgment,
  type OwnPreference,
  type PreferenceCounts,
} from './judgments.repository';

@Injectable()
export class JudgmentsService {
  constructor(
    private readonly repository: JudgmentsRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Keeps the choice of the caller's key, in place of an earlier one. @throws ApiError not_found as `EvalsService.get`;
   * invalid_request for a model that is not in the eval or did not answer
   */
  async prefer(
    { userId, keyId }: Caller,
    evalId: string,
    {
      preferred,
      blind = false,
      reason,
    }: { preferred: string; blind?: boolean | undefined; reason?: string | undefined },
  ): Promise<OwnPreference> {
    const preference = { preferred, blind, reason: reason ?? null, createdAt: this.clock.now() };
    const attempt = isId('eval', evalId)
      ? await this.repository.prefer({ evalId, userId, keyId, ...preference })
      : undefined;
    if (attempt === undefined) throw evalNotFound();
    if (attempt.isStored) return preference;
    const problem = attempt.models.includes(preferred)
      ? 'names a model that did not answer in this eval; choose one of'
      : 'must be tie, none_good or a model of this eval that answered:';
    throw new ApiError('invalid_request', {
      message: `preferred ${problem} ${attempt.answered.join(', ')}.`,
      param: 'preferred',
    });
  }

  /** Deletes the choice of the caller's key, if there is one. @throws ApiError not_found as `EvalsService.get` */
  async unprefer({ userId, keyId }: Caller, evalId: string): Promise<void> {
    if (!isId('eval', evalId) || !(await this.repository.unprefer(userId, evalId, keyId))) throw evalNotFound();
  }

  /** Changes the note and the star, absent ones unchanged. @throws ApiError not_found as `EvalsService.get` */
  async annotate(
    { userId }: Caller,
    evalId: string,
    change: { note?: string | null | undefined; starred?: boolean | undefined },
  ): Promise<Pick<Annotation, 'note' | 'starred'>> {
    const annotation = isId('eval', evalId) ? await this.repository.annotate(userId, evalId, change) : undefined;
    if (annotation === undefined) throw evalNotFound();
    return annotation;
  }

  /** The judgments of evals that the caller has read, by id; nothing is read where no part is asked for. */
  async of(
    { keyId }: Caller,
    evalIds: readonly string[],
    { preference, note }: JudgmentInclusions,
  ): Promise<Map<string, EvalJudgment>> {
    return evalIds.length > 0 && (preference === true || note === true)
      ? this.repository.of(keyId, evalIds)
      : new Map();
  }

  /** Counts the newest preferences of all keys of the user. */
  async count(
    { userId }: Caller,
    { models, since }: { models: readonly string[] | undefined; since: Date | undefined },
  ): Promise<PreferenceCounts> {
    return this.repository.count(userId, since, models);
  }
}
