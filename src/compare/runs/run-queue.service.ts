import { Injectable } from '@nestjs/common';
import type { Caller } from '../../auth/caller';
import { BillingService } from '../../billing/billing.service';
import type { Idempotency } from '../../billing/reservation.types';
import { Clock } from '../../common/clock';
import { ApiError } from '../../common/errors';
import { newId } from '../../common/ids';
import type { StoredEval } from '../../evals/evals.service';
import { AdmissionService, idempotencyOf } from '../admission.service';
import type { CompareCommand } from '../compare.types';
import { RunningComparesService } from '../running-compares.service';
import type { RunOrder } from './run.types';
import { RunsRepository, type NewRun, type RunRecord } from './runs.repository';

/** What came of asking for a run: a run, or the eval that a compare with the same Idempotency-Key has made already. */
export type Queued = { run: RunRecord; isReplay: boolean } | { stored: StoredEval };

const QUEUE_FULL_SECONDS = 10;

/** Queues compares that run while nobody waits for them. Whatever can be refused without touching money is refused here; money is looked at when they run. */
@Injectable()
export class RunQueueService {
  constructor(
    private readonly runs: RunsRepository,
    private readonly billing: BillingService,
    private readonly admission: AdmissionService,
    private readonly running: RunningComparesService,
    private readonly clock: Clock,
  ) {}

  /**
   * Queues a run, whose eval has its final id from now on. The same Idempotency-Key and request give the same run, whatever has become of it.
   * @throws ApiError what `AdmissionService` refuses, idempotency_key_in_use, idempotency_key_reused, rate_limited when too much is queued, overloaded, unavailable
   */
  async enqueue(caller: Caller, command: CompareCommand, order: RunOrder): Promise<Queued> {
    const idempotency = idempotencyOf(command);
    const known = await this.findKnown(caller, command, idempotency);
    if (known !== undefined) return known;
    this.running.refuseWhileUnable();
    const now = this.clock.now();
    await this.admission.admit(caller, command, now);
    const { userId, keyId } = caller;
    const run = { id: newId('run', now), userId, keyId, evalId: newId('eval', now), order, idempotencyKey: idempotency?.key ?? null, fingerprint: idempotency?.fingerprint ?? null, createdAt: now };
    try {
      await this.insert(caller, run, idempotency);
    } catch (error) {
      // Two requests with the same key at the same instant: the other one has queued the run.
      const other = error instanceof ApiError && error.code === 'idempotency_key_in_use' ? await this.findKnown(caller, command, idempotency) : undefined;
      if (other === undefined) throw error;
      return other;
    }
    return { run: { ...run, state: 'queued', error: null, startedAt: null, finishedAt: null }, isReplay: false };
  }

  private async findKnown(caller: Caller, command: CompareCommand, idempotency: Idempotency | undefined): Promise<Queued | undefined> {
    if (idempotency === undefined) return undefined;
    return await this.findRun(caller, idempotency) ?? this.findEval(caller, command, idempotency);
  }

  private async findRun(caller: Caller, { key, fingerprint }: Idempotency): Promise<Queued | undefined> {
    const run = await this.runs.findByIdempotencyKey(caller.userId, key, this.billing.oldestKey());
    if (run === undefined) return undefined;
    if (run.fingerprint !== fingerprint) throw new ApiError('idempotency_key_reused', { param: 'Idempotency-Key' });
    return { run, isReplay: true };
  }

  private async findEval(caller: Caller, command: CompareCommand, idempotency: Idempotency): Promise<Queued | undefined> {
    try {
      const stored = await this.admission.findReplay(caller, command);
      return stored && { stored };
    } catch (error) {
      // The key may stand for a run that another request has queued since the first look.
      const run = error instanceof ApiError && error.code === 'idempotency_key_in_use' ? await this.findRun(caller, idempotency) : undefined;
      if (run === undefined) throw error;
      return run;
    }
  }

  private async insert(caller: Caller, run: NewRun, idempotency: Idempotency | undefined): Promise<void> {
    // Expired reservations would still stand in the way of their Idempotency-Keys.
    if (idempotency !== undefined) await this.billing.giveBackExpired(caller);
    await this.runs.inTransaction(async (tx) => {
      if (idempotency !== undefined) await this.billing.announce(tx, caller, idempotency, run.evalId);
      if (await this.runs.insert(tx, run, this.billing.oldestKey())) return;
      throw new ApiError('rate_limited', { message: 'Too many runs of this user are queued; wait until some have ended, or cancel some.', retryAfterSeconds: QUEUE_FULL_SECONDS });
    });
  }
}
