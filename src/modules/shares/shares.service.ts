import { randomBytes } from 'node:crypto';
import { ForeignKeyConstraintViolationException } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Actor } from '../audit/actor';
import { AuditService } from '../audit/audit.service';
import { changesOf, facts } from '../audit/changes';
import type { Caller } from '../auth/caller';
import { refuseWithoutScopes } from '../auth/scopes';
import { hashOf } from '../auth/token.format';
import { Clock, DAY_MS } from '../../common/clock';
import { Config } from '../../platform/config/config';
import { ApiError } from '../../common/errors';
import { isId, newId } from '../../common/ids';
import { paginate, type Page } from '../../common/page';
import { EvalsService } from '../evals/evals.service';
import { isEnded } from '../experiments/experiment.entity';
import { isWellFormedShareToken, newShareToken } from './share-token.format';
import { Share, type Redaction } from './share.entity';
import { SharesRepository, type SharePageStart, type ViewedShare } from './shares.repository';

/** Live share links of one user, and new ones in a day. */
const MAX_SHARES_PER_USER = 1000;

export interface ShareCommand {
  /** The id of an eval or an experiment. */
  subject: string;
  expiresInDays: number;
  redact: Redaction[];
  votes: boolean;
}

/** A share just made; the only time its token is known. */
export interface IssuedShare {
  share: Share;
  token: string;
}

@Injectable()
export class SharesService {
  constructor(
    private readonly repository: SharesRepository,
    private readonly evals: EvalsService,
    private readonly audit: AuditService,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws ApiError insufficient_scope for an experiment without `experiments:read`, not_found when the caller has no
   *   such eval or experiment, invalid_request for votes without judges, conflict above the limit and for an experiment
   *   that has not ended or was erased
   */
  async create(actor: Actor, caller: Caller, command: ShareCommand): Promise<IssuedShare> {
    await this.refuseSubject(caller, command);
    const token = newShareToken();
    const share = this.newShare(caller, command, token);
    try {
      await this.audit.change(actor, async (tx) => {
        await this.refuseAboveLimit(tx, caller);
        await this.repository.insert(tx, share);
        const changes = {
          ...facts({ userId: caller.userId }),
          ...changesOf<Share>(undefined, share, ['evalId', 'experimentId', 'redact', 'votes', 'expiresAt']),
        };
        return {
          value: undefined,
          note: { action: 'share.created', targetType: 'share', targetId: share.id, changes },
        };
      });
    } catch (error) {
      if (error instanceof ForeignKeyConstraintViolationException) throw evalNotFound();
      throw error;
    }
    return { share, token };
  }

  /** One page of the caller's shares, newest first, including ended shares. */
  async list({ userId }: Caller, limit: number, start: SharePageStart): Promise<Page<Share>> {
    return paginate(await this.repository.page(userId, limit + 1, start), limit, ({ id }) => id);
  }

  /**
   * Ends a share now; revoking twice keeps the first time. @throws ApiError not_found, also for another user's share
   */
  async revoke(actor: Actor, { userId }: Caller, id: string): Promise<void> {
    if (!isId('shr', id)) throw shareNotFound();
    await this.audit.change(actor, async (tx) => {
      const revokedAt = this.clock.now();
      const { exists, isRevoked } = await this.repository.revoke(tx, userId, id, revokedAt);
      if (!exists) throw shareNotFound();
      const changes = isRevoked ? changesOf<Share>(undefined, { revokedAt }, ['revokedAt']) : {};
      return { value: undefined, note: { action: 'share.revoked', targetType: 'share', targetId: id, changes } };
    });
  }

  /** The live share with this token, adding `views` views; undefined if there is none, for any reason. */
  async view(token: string, views: 0 | 1): Promise<ViewedShare | undefined> {
    if (!isWellFormedShareToken(token)) return undefined;
    const { API_KEY_PEPPER: pepper, API_KEY_PEPPER_PREVIOUS: previous } = this.config;
    return this.repository.view(
      [hashOf(token, pepper), ...(previous === undefined ? [] : [hashOf(token, previous)])],
      this.clock.now(),
      views,
    );
  }

  private newShare({ userId }: Caller, { subject, expiresInDays, redact, votes }: ShareCommand, token: string): Share {
    const createdAt = this.clock.now();
    return Object.assign(new Share(), {
      id: newId('shr', createdAt),
      userId,
      ...(isId('exp', subject) ? { evalId: null, experimentId: subject } : { evalId: subject, experimentId: null }),
      tokenHash: hashOf(token, this.config.API_KEY_PEPPER),
      redact,
      votes,
      seed: randomBytes(16).toString('hex'),
      createdAt,
      expiresAt: new Date(createdAt.getTime() + expiresInDays * DAY_MS),
      revokedAt: null,
      views: 0,
    });
  }

  private async refuseSubject(caller: Caller, { subject, votes }: ShareCommand): Promise<void> {
    if (!isId('exp', subject)) {
      if (!(await this.evals.has(caller, subject))) throw evalNotFound();
      return;
    }
    refuseWithoutScopes(caller.scopes, 'experiments:read');
    const experiment = await this.evals.experiments.get()(caller, subject);
    if (votes && experiment.spec.judge === undefined)
      throw new ApiError('invalid_request', {
        message: 'votes is for experiments of judges; share this one without it.',
        param: 'votes',
      });
    if (!isEnded(experiment))
      throw new ApiError('conflict', {
        message: 'This experiment has not ended, or was erased; share one that has ended.',
      });
  }

  private async refuseAboveLimit(tx: EntityManager, { userId }: Caller): Promise<void> {
    const now = this.clock.now();
    // Those of the last day count even when they are revoked, or making and revoking could go on without end.
    if ((await this.repository.countToLimit(tx, userId, now, new Date(now.getTime() - DAY_MS))) < MAX_SHARES_PER_USER)
      return;
    const most = MAX_SHARES_PER_USER.toLocaleString('en-US');
    throw new ApiError('conflict', {
      message: `A user can have ${most} live shares and make ${most} a day; revoke some that are no longer needed, or wait.`,
    });
  }
}

function evalNotFound(): ApiError {
  return new ApiError('not_found', { message: 'No eval with this id exists.', param: 'subject' });
}

function shareNotFound(): ApiError {
  return new ApiError('not_found', { message: 'No share with this id exists.' });
}
