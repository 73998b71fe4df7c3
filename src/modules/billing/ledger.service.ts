import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Actor } from '../audit/actor';
import { AuditService } from '../audit/audit.service';
import { facts } from '../audit/changes';
import type { Account, Caller } from '../auth/caller';
import { Clock } from '../../common/clock';
import { Config } from '../../platform/config/config';
import { Money } from '../../common/money';
import { Month } from '../../common/month';
import { ModelsService } from '../models/models.service';
import type { BreakdownPart, Dimension } from './breakdown-total.entity';
import { newCorrection } from './charge';
import type { BillableCharge, Charge } from './charge.entity';
import { ChargesRepository } from './charges.repository';
import { passThrough, type Pricing } from './pricing';

export interface MonthReport {
  month: Month;
  evalCount: number;
  charge: Money;
  freeEvalsRemaining: number;
}

/** A monthly limit in USD and what may still be charged below it. */
export interface SpendLimit {
  limit: Money;
  remaining: Money;
}

export interface Remaining {
  month: Month;
  freeEvals: { limit: number; remaining: number };
  keySpend: SpendLimit | null;
  userSpend: SpendLimit | null;
}

const PAGE = 1000;

/** Reads the ledger, and corrects it by new rows. */
@Injectable()
export class LedgerService {
  private currentPricing: Pricing | undefined;

  constructor(
    private readonly charges: ChargesRepository,
    private readonly models: ModelsService,
    private readonly audit: AuditService,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** A user's month, zeros when nothing happened in it. */
  async month(account: Account, month: Month): Promise<MonthReport> {
    const total = await this.charges.findMonth(account.userId, month);
    return {
      month,
      evalCount: total?.evalCount ?? 0,
      charge: total?.charge ?? Money.zero,
      freeEvalsRemaining: Math.max(0, account.freeQuota - (total?.freeEvalCount ?? 0)),
    };
  }

  /** The rest of the caller's limits in a month. Amounts held by running evals count as used. */
  async remaining(caller: Caller, month: Month): Promise<Remaining> {
    const taken = await this.charges.findTaken(caller.userId, caller.keyId, month);
    return {
      month,
      freeEvals: { limit: caller.freeQuota, remaining: Math.max(0, caller.freeQuota - (taken?.freeEvals ?? 0)) },
      keySpend: spendLimit(caller.keySpendLimit, taken?.byKey ?? Money.zero),
      userSpend: spendLimit(caller.monthlySpendLimit, taken?.byUser ?? Money.zero),
    };
  }

  pricing(): Pricing {
    const freeIds = this.models.freeIds();
    if (this.currentPricing?.freeModels !== freeIds)
      this.currentPricing = passThrough(this.config.BILLING_MARGIN, freeIds);
    return this.currentPricing;
  }

  async breakdown(caller: Caller, month: Month, dimension: Dimension): Promise<BreakdownPart[]> {
    return this.charges.breakdown(caller.userId, month, dimension);
  }

  /**
   * Every charge and correction of the caller's month in the order in which they were written; never more than a page
   * in memory.
   */
  async *statement(caller: Caller, month: Month): AsyncGenerator<Charge> {
    let after = '';
    for (;;) {
      const page = await this.charges.page(caller.userId, month, after, PAGE);
      yield* page;
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return;
      after = last.id;
    }
  }

  async billableCharges(tx: EntityManager, userId: string, month: Month): Promise<BillableCharge[]> {
    return this.charges.findBillable(tx, userId, month);
  }

  /** Corrects a user's month by an amount of dollars, which may be negative; the current month by default. */
  async adjust(actor: Actor, userId: string, amount: Money, reason: string, month?: Month): Promise<Charge> {
    const now = this.clock.now();
    const row = newCorrection(userId, month ?? Month.of(now), amount, reason, now);
    const changes = facts({ chargeId: row.id, month: row.month, charge: amount, reason });
    return this.audit.change(actor, async (tx) => {
      await this.charges.insertCorrection(tx, row);
      return { value: row, note: { action: 'charge.adjusted', targetType: 'user', targetId: userId, changes } };
    });
  }
}

function spendLimit(limit: Money | null, taken: Money): SpendLimit | null {
  if (limit === null) return null;
  const rest = limit.minus(taken);
  return { limit, remaining: rest.compare(Money.zero) > 0 ? rest : Money.zero };
}
