import { Injectable, Logger } from '@nestjs/common';
import { costOf, tokenLimits, type TokenLimits } from './pricing';
import { Clock } from '../../common/clock';
import { Config } from '../../platform/config/config';
import { Metrics } from '../../platform/observability/metrics';
import { Money } from '../../common/money';
import type { PricedModel } from '../models/models.service';
import { countedText, type Completion, type CompletionRequest, type TokenUsage } from '../providers/provider';
import { TokenCounterService } from '../providers/tokens/token-counter.service';
import {
  toReportedUsage,
  clampUsage,
  isSameUsage,
  estimateTokens,
  sidesAbove,
  implausibleSides,
  type BilledUsage,
} from './token-usage';

/**
 * Determines the billed token counts of a successful call: the vendor's, if they are plausible. The operator pays for
 * any excess counts of a vendor.
 */
@Injectable()
export class TokenUsageService {
  private readonly log = new Logger(TokenUsageService.name);

  /** Ids of models whose tokens we had to count on their last call. */
  private readonly uncounted = new Set<string>();

  constructor(
    private readonly counter: TokenCounterService,
    private readonly metrics: Metrics,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /**
   * Called when a call starts: loads the tokenizer while the vendor responds, if it will probably be needed. @returns
   * the deadline for counting, in monotonic milliseconds
   */
  start({ model }: PricedModel): number {
    if (this.uncounted.has(model.id)) this.counter.warmUp();
    return this.clock.monotonicMs() + this.config.EVAL_TIMEOUT_MS;
  }

  /**
   * The counts a successful call is billed by, never above its limits. A text that cannot be counted by the deadline is
   * estimated from its length.
   */
  async resolve(
    priced: PricedModel,
    request: CompletionRequest,
    completion: Completion,
    deadline: number,
  ): Promise<BilledUsage> {
    const { usage: reported } = completion;
    const limits = tokenLimits(request, priced.model.vendor);
    const text = countedText(request);
    const estimated = implausibleSides(reported, text, completion.text);
    const aboveLimit = reported === undefined ? [] : sidesAbove(reported, limits);
    if (estimated.length === 0) this.uncounted.delete(priced.model.id);
    else this.uncounted.add(priced.model.id);
    const count = (counted: string) => this.count(counted, deadline);
    const counts = clampUsage(
      {
        ...(reported ?? NO_TOKENS),
        ...(estimated.includes('input') && {
          inputTokens: await count(text),
          cachedInputTokens: 0,
          cacheWriteTokens: 0,
        }),
        ...(estimated.includes('output') && { outputTokens: await count(completion.text), reasoningTokens: 0 }),
      },
      limits,
    );
    if (reported !== undefined && aboveLimit.length > 0) this.reportExcess(priced, reported, counts, limits);
    return {
      counts,
      estimated,
      aboveLimit,
      reported: reported === undefined || isSameUsage(reported, counts) ? undefined : reported,
    };
  }

  private async count(text: string, deadline: number): Promise<number> {
    try {
      return await this.counter.count(text, {
        timeoutMs: Math.max(0, deadline - this.clock.monotonicMs()),
        isUrgent: true,
      });
    } catch (error) {
      // The vendor has to be paid for this output, so it is stored even if counting fails.
      this.log.error({ event: 'tokens-not-counted', characters: text.length, err: error });
      return estimateTokens(text);
    }
  }

  private reportExcess(
    { model, price }: PricedModel,
    reported: TokenUsage,
    counts: TokenUsage,
    possible: TokenLimits,
  ): void {
    const difference = costOf(toReportedUsage(reported), price).cost.minus(costOf(counts, price).cost);
    const lost = difference.compare(Money.zero) > 0 ? difference : Money.zero;
    this.metrics.usageAboveLimit.inc({ provider: model.vendor }, Number(lost.toString()));
    this.log.error({ event: 'usage-above-limit', model: model.id, reported, possible, lostUsd: lost.toString() });
  }
}

const NO_TOKENS: TokenUsage = {
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
};
