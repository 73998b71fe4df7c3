import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { BillingService } from '../../billing/billing.service';
import { urgently } from '../../database/urgency';
import { LeaseLostError, type RunClaim, type RunError } from './run.types';
import { RunsRepository } from './runs.repository';

/** Ends runs: each of them once, even if another process still works on it. */
@Injectable()
export class RunEndingsService {
  constructor(
    private readonly runs: RunsRepository,
    private readonly billing: BillingService,
    private readonly em: EntityManager,
  ) {}

  /** Ends a run in the transaction that stores its eval, so that neither exists without the other. Comes first, because the rows of the ledger are locked last. @throws LeaseLostError */
  async succeed(tx: EntityManager, claim: RunClaim): Promise<void> {
    if (!(await this.runs.succeed(claim, tx))) throw new LeaseLostError(claim);
  }

  /** Ends a run whose eval is already stored; a run that has ended meanwhile is unchanged. */
  async noteStored(claim: RunClaim): Promise<void> {
    await this.runs.succeed(claim);
  }

  /** Ends a run without an eval; its Idempotency-Key stands for no eval any more. @throws LeaseLostError */
  async fail(claim: RunClaim, error: RunError): Promise<void> {
    await urgently(() => this.em.fork().transactional(async (tx) => {
      const run = await this.runs.fail(tx, claim, error);
      if (run === undefined) throw new LeaseLostError(claim);
      if (run.idempotencyKey !== null) await this.billing.revokeAnnouncement(tx, run.userId, run.idempotencyKey, run.evalId);
    }));
  }

  /** Requeues a run, to be claimed by any process after `seconds`; with `countsAsRetry` after a failed attempt. */
  async giveBack(claim: RunClaim, afterSeconds: number, countsAsRetry: boolean): Promise<void> {
    await this.runs.giveBack([claim], afterSeconds, countsAsRetry);
  }

  /** Ends a user's run that has not begun; false when there is none of that id, or it has. */
  async cancel(userId: string, runId: string): Promise<boolean> {
    return this.em.fork().transactional(async (tx) => {
      const run = await this.runs.cancel(tx, userId, runId);
      if (run?.idempotencyKey) await this.billing.revokeAnnouncement(tx, userId, run.idempotencyKey, run.evalId);
      return run !== undefined;
    });
  }
}
