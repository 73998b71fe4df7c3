import { Injectable } from '@nestjs/common';
import type { Caller } from '../../auth/caller';
import { BillingService } from '../../billing/billing.service';
import { Clock } from '../../common/clock';
import { ApiError } from '../../common/errors';
import { Money } from '../../common/money';
import { AdmissionService } from '../admission.service';
import { minCostOf, type Quote } from '../quote';
import type { CompareCommand } from '../settlement/settlement.service';
import { CountingError, TokenCounterService } from '../../providers/tokens/token-counter.service';

/** A range of money. */
export interface Range {
  least: Money;
  most: Money;
}

/** What one model would cost. */
export interface ModelEstimate {
  model: string;
  provider: string;
  inputTokens: number;
  maxTokens: number;
  cost: Range;
  charge: Range;
}

/** What an order would cost. */
export interface Estimate {
  models: ModelEstimate[];
  cost: Range;
  charge: Range;
  isFree: boolean;
  freeEvalsRemaining: number;
}

const COUNT_TIMEOUT_MS = 15_000;

/** Says what a compare would cost, without calling a vendor or taking anything. */
@Injectable()
export class EstimateService {
  constructor(
    private readonly admission: AdmissionService,
    private readonly billing: BillingService,
    private readonly counter: TokenCounterService,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError unknown_model, model_not_allowed, max_cost_exceeded, overloaded */
  async estimate(caller: Caller, order: CompareCommand): Promise<Estimate> {
    const now = this.clock.now();
    const { prompt, quotes, need } = this.admission.admit(caller, order, now);
    const freeEvalsRemaining = await this.admission.freeEvalsLeft(caller, now);
    const isFree = need.wantsFree && freeEvalsRemaining > 0;
    const inputTokens = await this.count(prompt.text);
    const models = quotes.map((quote) => this.estimateOf(quote, inputTokens, isFree));
    return { models, cost: sumOf(models.map(({ cost }) => cost)), charge: sumOf(models.map(({ charge }) => charge)), isFree, freeEvalsRemaining };
  }

  private async count(text: string): Promise<number> {
    try {
      return await this.counter.count(text, { timeoutMs: COUNT_TIMEOUT_MS });
    } catch (error) {
      if (!(error instanceof CountingError)) throw error;
      throw new ApiError('overloaded', { message: 'Too many texts are being counted; try again after Retry-After seconds.', retryAfterSeconds: 2, cause: error });
    }
  }

  private estimateOf(quote: Quote, inputTokens: number, isFree: boolean): ModelEstimate {
    const { model } = quote.priced;
    const cost = { least: minCostOf(quote, inputTokens), most: quote.maxCost };
    const charge = { least: this.billing.chargeOf(cost.least, isFree), most: this.billing.chargeOf(cost.most, isFree) };
    return { model: model.id, provider: model.provider, inputTokens, maxTokens: quote.maxTokens, cost, charge };
  }
}

function sumOf(ranges: readonly Range[]): Range {
  return { least: Money.sum(ranges.map(({ least }) => least)), most: Money.sum(ranges.map(({ most }) => most)) };
}
