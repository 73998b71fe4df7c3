import { Injectable, Logger } from '@nestjs/common';
import { costOf, tokenLimits, type TokenLimits } from '../billing/pricing';
import { Clock } from '../common/clock';
import { Config } from '../common/config';
import { Metrics } from '../common/metrics';
import { Money } from '../common/money';
import type { PricedModel } from '../models/models.service';
import type { Completion, CompletionRequest, TokenUsage } from '../providers/provider';
import { TokenCounterService } from '../providers/tokens/token-counter.service';
import { toReportedUsage, clampUsage, isSameUsage, roughTokens, sidesAbove, implausibleSides, type SettledUsage } from './token-usage';

/** Decides what an answered call is charged by: the vendor's counts as far as they can be true. What a vendor counts beyond that is the operator's loss. */
@Injectable()
export class TokenUsageService {
  private readonly log = new Logger(TokenUsageService.name);

  /** Models whose vendor left us to count the last time. */
  private readonly uncounted = new Set<string>();

  constructor(
    private readonly counter: TokenCounterService,
    private readonly metrics: Metrics,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** Notes that a call begins, so that what will probably be needed to count it is loaded while the vendor answers. Gives the deadline of counting, on the monotonic clock. */
  begin({ model }: PricedModel): number {
    if (this.uncounted.has(model.id)) this.counter.warmUp();
    return this.clock.monotonicMs() + this.config.EVAL_TIMEOUT_MS;
  }

  /** The counts of an answered call; never more than it was admitted with. What cannot be counted by the deadline is taken from its length. */
  async settle(priced: PricedModel, request: CompletionRequest, completion: Completion, deadline: number): Promise<SettledUsage> {
    const { usage: reported } = completion;
    const limits = tokenLimits(request.prompt, priced.model.vendor, request.maxTokens);
    const estimated = implausibleSides(reported, request.prompt, completion.text);
    const aboveLimit = reported === undefined ? [] : sidesAbove(reported, limits);
    if (estimated.length === 0) this.uncounted.delete(priced.model.id);
    else this.uncounted.add(priced.model.id);
    const count = (text: string) => this.count(text, deadline);
    const counts = clampUsage({
      ...(reported ?? NONE),
      ...(estimated.includes('input') && { inputTokens: await count(request.prompt), cachedInputTokens: 0, cacheWriteTokens: 0 }),
      ...(estimated.includes('output') && { outputTokens: await count(completion.text), reasoningTokens: 0 }),
    }, limits);
    if (reported !== undefined && aboveLimit.length > 0) this.tellOperator(priced, reported, counts, limits);
    return { counts, estimated, aboveLimit, reported: reported === undefined || isSameUsage(reported, counts) ? undefined : reported };
  }

  private async count(text: string, deadline: number): Promise<number> {
    try {
      return await this.counter.count(text, { timeoutMs: Math.max(0, deadline - this.clock.monotonicMs()), isUrgent: true });
    } catch (error) {
      // The answer is paid for: it is stored whatever becomes of the counting.
      this.log.error({ event: 'tokens-not-counted', characters: text.length, err: error });
      return roughTokens(text);
    }
  }

  private tellOperator({ model, price }: PricedModel, reported: TokenUsage, counts: TokenUsage, possible: TokenLimits): void {
    const difference = costOf(toReportedUsage(reported), price).cost.minus(costOf(counts, price).cost);
    const lost = difference.compare(Money.zero) > 0 ? difference : Money.zero;
    this.metrics.usageAboveLimit.inc({ provider: model.vendor }, Number(lost.toString()));
    this.log.error({ event: 'usage-above-limit', model: model.id, reported, possible, lostUsd: lost.toString() });
  }
}

const NONE: TokenUsage = { inputTokens: 0, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 0, reasoningTokens: 0 };
