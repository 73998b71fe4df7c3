import { Injectable } from '@nestjs/common';
import type { Caller } from '../auth/caller';
import { hasScope, refuseWithoutScopes } from '../auth/scopes';
import { BillingService } from '../billing/billing.service';
import { Clock } from '../../common/clock';
import { ApiError } from '../../common/errors';
import { isId, newId } from '../../common/ids';
import { paginate, type Page } from '../../common/page';
import type { StoredEval } from '../evals/evals.service';
import { ActiveComparesService } from '../execution/active-compares.service';
import { AdmissionService } from '../execution/admission.service';
import type { CompareCommand } from '../execution/compare.types';
import { idempotencyOf } from '../execution/idempotency';
import { storedCommand } from './job-command';
import { isUnfinished } from './job.entity';
import type { JobRecord } from './job.types';
import { JobsRepository, type NewJob } from './jobs.repository';

/** The result of a request for a run: a job, or the eval of an earlier compare with the same Idempotency-Key. */
export type Queued = { run: JobRecord; isReplay: boolean } | { stored: StoredEval };

const QUEUE_FULL_SECONDS = 10;

/**
 * Queues, reads and cancels background compares. A run of another user does not exist, nor does a run of another key
 * for a key without `evals:read`.
 */
@Injectable()
export class RunsService {
  constructor(
    private readonly jobs: JobsRepository,
    private readonly billing: BillingService,
    private readonly admission: AdmissionService,
    private readonly active: ActiveComparesService,
    private readonly clock: Clock,
  ) {}

  /**
   * Queues a compare, whose eval has its final id from now on. The same Idempotency-Key and request give the same run,
   * unless it has failed or was canceled.
   * Refuses everything that can be refused without money; money is checked when the job runs.
   * @throws ApiError what `AdmissionService` refuses, idempotency_key_in_use, idempotency_key_reused, rate_limited if
   * the user's queue is full, overloaded, unavailable
   */
  async enqueue(caller: Caller, command: CompareCommand): Promise<Queued> {
    const earlier = await this.findReplay(caller, command);
    if (earlier !== undefined) return earlier;
    this.active.refuseWhileUnable();
    const now = this.clock.now();
    await this.admission.admit(caller, command, now);
    const { userId, keyId } = caller;
    const { key: idempotencyKey = null, fingerprint = null } = idempotencyOf(command) ?? {};
    const job = {
      id: newId('run', now),
      userId,
      keyId,
      evalId: newId('eval', now),
      command: storedCommand(command),
      idempotencyKey,
      fingerprint,
      createdAt: now,
    };
    try {
      await this.insert(caller, job);
    } catch (error) {
      // Two requests with the same key at the same instant: the other one has queued the job.
      const other =
        error instanceof ApiError && error.code === 'idempotency_key_in_use'
          ? await this.findReplay(caller, command)
          : undefined;
      if (other === undefined) throw error;
      return other;
    }
    return { run: { ...job, state: 'queued', error: null, startedAt: null, finishedAt: null }, isReplay: false };
  }

  /** One page of the runs that the caller may see, newest first. */
  async list(caller: Caller, limit: number, after: string | undefined): Promise<Page<JobRecord>> {
    const keyId = hasScope(caller.scopes, 'evals:read') ? undefined : caller.keyId;
    return paginate(await this.jobs.page(caller.userId, limit + 1, { after, keyId }), limit, ({ id }) => id);
  }

  /**
   * @throws ApiError not_found, also for a malformed id, for a run of another user, and for a run of another key if
   * this one may not read evals
   */
  async get({ userId, keyId, scopes }: Caller, id: string): Promise<JobRecord> {
    const job = isId('run', id) ? await this.jobs.find(userId, id) : undefined;
    if (job === undefined || (job.keyId !== keyId && !hasScope(scopes, 'evals:read')))
      throw new ApiError('not_found', { message: 'No run with this id exists.' });
    return job;
  }

  /**
   * Cancels a queued run: it never runs and is not charged. @throws ApiError not_found as `get` does, conflict for a
   * run that has started or ended
   */
  async cancel(caller: Caller, id: string): Promise<void> {
    await this.get(caller, id);
    const { userId } = caller;
    const isCanceled = await this.jobs.inTransaction(async (tx) => {
      const job = await this.jobs.cancel(tx, userId, id);
      if (job?.idempotencyKey) await this.billing.revokeAnnouncement(tx, userId, job.idempotencyKey, job.evalId);
      return job !== undefined;
    });
    if (isCanceled) return;
    const { state } = await this.get(caller, id);
    const message =
      state === 'running'
        ? 'This run has begun and cannot be stopped; its eval will be stored and charged.'
        : `This run has ended already (${state}).`;
    throw new ApiError('conflict', { message });
  }

  /**
   * The job of this command's Idempotency-Key, or the eval if no job has made it; undefined without a key, and if the
   * job has released the key.
   * @throws ApiError insufficient_scope, and as `AdmissionService.findReplay` does
   */
  private async findReplay(caller: Caller, command: CompareCommand): Promise<Queued | undefined> {
    const evalId = await this.admission.evalOfKey(caller, command);
    if (evalId === undefined) return undefined;
    const run = await this.jobs.findByEval(caller.userId, evalId);
    if (run !== undefined && run.keyId !== caller.keyId) refuseWithoutScopes(caller.scopes, 'evals:read');
    if (run !== undefined && isUnfinished(run)) return { run, isReplay: true };
    if (run !== undefined && run.state !== 'succeeded') return undefined;
    // Also for a job, because an erased eval is gone in both ways of asking.
    const stored = await this.admission.getReplay(caller, evalId);
    return run === undefined ? { stored } : { run, isReplay: true };
  }

  private async insert(caller: Caller, job: NewJob): Promise<void> {
    const { idempotencyKey: key, fingerprint } = job;
    const idempotency = key === null || fingerprint === null ? undefined : { key, fingerprint };
    // Expired reservations would still block their Idempotency-Keys.
    if (idempotency !== undefined) await this.billing.releaseExpired(caller);
    await this.jobs.inTransaction(async (tx) => {
      if (idempotency !== undefined) await this.billing.announce(tx, caller, idempotency, job.evalId);
      if (await this.jobs.insert(tx, job)) return;
      throw new ApiError('rate_limited', {
        message: 'Too many runs of this user are queued; wait until some have ended, or cancel some.',
        retryAfterSeconds: QUEUE_FULL_SECONDS,
      });
    });
  }
}
