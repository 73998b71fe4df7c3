import { Injectable } from '@nestjs/common';
import type { Caller } from '../../auth/caller';
import { BillingService } from '../../billing/billing.service';
import { Clock } from '../../../common/clock';
import { ApiError } from '../../../common/errors';
import { writtenId } from '../../../common/model-arm';
import { Money } from '../../../common/money';
import { countedText } from '../../providers/provider';
import { CountingError, TokenCounterService } from '../../providers/tokens/token-counter.service';
import { AdmissionService } from '../../execution/admission.service';
import type { CompareCommand } from '../../execution/compare.types';
import { OverloadService } from '../../execution/overload.service';
import { minCostOf, type Quote } from '../../execution/quote';

/** A range of amounts in USD. */
export interface Range {
  min: Money;
  max: Money;
}

/** The estimated cost of one model. */
export interface ModelEstimate {
  model: string;
  provider: string;
  /** Estimated by our own tokenizer. */
  inputTokens: number;
  /** Maximum output tokens that would be requested. */
  maxTokens: number;
  /** Of all samples, like the charge. */
  cost: Range;
  charge: Range;
}

/** The estimated cost of a compare. */
export interface Estimate {
  models: ModelEstimate[];
  cost: Range;
  charge: Range;
  isFree: boolean;
  freeEvalsRemaining: number;
}

/** How long counting the tokens of a prompt may take, in milliseconds. */
const COUNT_TIMEOUT_MS = 15_000;

/** Estimates the cost of a compare without calling a vendor or reserving anything. */
@Injectable()
export class EstimateService {
  constructor(
    private readonly admission: AdmissionService,
    private readonly billing: BillingService,
    private readonly counter: TokenCounterService,
    private readonly clock: Clock,
    private readonly overload: OverloadService,
  ) {}

  /** @throws ApiError unknown_model, model_not_allowed, max_cost_exceeded, overloaded */
  async estimate(caller: Caller, command: CompareCommand): Promise<Estimate> {
    this.overload.refuseWhileOverloaded();
    const now = this.clock.now();
    const { prompt, quotes, need } = await this.admission.admit(caller, command, now);
    const freeEvalsRemaining = await this.admission.freeEvalsLeft(caller, now);
    const isFree = need.wantsFree && freeEvalsRemaining > 0;
    const inputTokens = await this.countTokens(
      countedText({ prompt: prompt.text, system: command.options.extra?.system, history: prompt.history }),
    );
    const models = quotes().map((quote) =>
      this.estimateModel(quote, { inputTokens, isFree, samples: String(command.samples) }),
    );
    return {
      models,
      cost: sumRanges(models.map(({ cost }) => cost)),
      charge: sumRanges(models.map(({ charge }) => charge)),
      isFree,
      freeEvalsRemaining,
    };
  }

  /** Tokens of a text by our own tokenizer. @throws ApiError overloaded */
  async countTokens(text: string): Promise<number> {
    try {
      return await this.counter.count(text, { timeoutMs: COUNT_TIMEOUT_MS });
    } catch (error) {
      if (!(error instanceof CountingError)) throw error;
      throw new ApiError('overloaded', {
        message: 'Too many prompts are being tokenized; try again after Retry-After seconds.',
        retryAfterSeconds: 2,
        cause: error,
      });
    }
  }

  private estimateModel(
    quote: Quote,
    { inputTokens, isFree, samples }: { inputTokens: number; isFree: boolean; samples: string },
  ): ModelEstimate {
    const { model } = quote.priced;
    const cost = { min: minCostOf(quote, inputTokens).times(samples), max: quote.maxCost.times(samples) };
    const charge = { min: this.billing.chargeOf(cost.min, isFree), max: this.billing.chargeOf(cost.max, isFree) };
    return {
      model: writtenId(quote.priced),
      provider: model.provider,
      inputTokens,
      maxTokens: quote.maxTokens,
      cost,
      charge,
    };
  }
}

function sumRanges(ranges: readonly Range[]): Range {
  return { min: Money.sum(ranges.map(({ min }) => min)), max: Money.sum(ranges.map(({ max }) => max)) };
}
