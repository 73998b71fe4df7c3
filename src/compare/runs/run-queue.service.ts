import { Injectable } from '@nestjs/common';
import type { Caller } from '../../auth/caller';
import { BillingService } from '../../billing/billing.service';
import type { Idempotency } from '../../billing/reservation.types';
import { Clock } from '../../common/clock';
import { ApiError } from '../../common/errors';
import { newId } from '../../common/ids';
import { AdmissionService, idempotencyOf } from '../admission.service';
import type { CompareCommand } from '../compare.types';
import { RunningComparesService } from '../running-compares.service';
import type { Queued } from './replays.service';
import type { RunOrder } from './run.types';
import { RunsRepository, type NewRun } from './runs.repository';

const QUEUE_FULL_SECONDS = 10;

/** Queues background compares. Refuses all that can be refused without money; money is checked when they run. */
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
   * Queues a run, whose eval has its final id from now on. The same Idempotency-Key and request give the same run, unless it has failed or was taken back.
   * @throws ApiError what `AdmissionService` refuses, idempotency_key_in_use, idempotency_key_reused, rate_limited when too much is queued, overloaded, unavailable
   */
  async enqueue(caller: Caller, command: CompareCommand, order: RunOrder): Promise<Queued> {
    const idempotency = idempotencyOf(command);
    const known = await this.admission.findQueued(caller, command);
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
      const other = error instanceof ApiError && error.code === 'idempotency_key_in_use' ? await this.admission.findQueued(caller, command) : undefined;
      if (other === undefined) throw error;
      return other;
    }
    return { run: { ...run, state: 'queued', error: null, startedAt: null, finishedAt: null }, isReplay: false };
  }

  private async insert(caller: Caller, run: NewRun, idempotency: Idempotency | undefined): Promise<void> {
    // Expired reservations would still block their Idempotency-Keys.
    if (idempotency !== undefined) await this.billing.giveBackExpired(caller);
    await this.runs.inTransaction(async (tx) => {
      if (idempotency !== undefined) await this.billing.announce(tx, caller, idempotency, run.evalId);
      if (await this.runs.insert(tx, run)) return;
      throw new ApiError('rate_limited', { message: 'Too many runs of this user are queued; wait until some have ended, or cancel some.', retryAfterSeconds: QUEUE_FULL_SECONDS });
    });
  }
}
