import { Injectable, Logger } from '@nestjs/common';
import { costOf, tokenLimits, type TokenLimits } from '../billing/pricing';
import { Metrics } from '../common/metrics';
import { Money } from '../common/money';
import type { PricedModel } from '../models/models.service';
import type { Completion, CompletionRequest, TokenUsage } from '../providers/provider';
import { countTokens } from './tokens';
import { claimed, fitted, isSameUsage, sidesAbove, untrueSides, type SettledUsage, type Side } from './usage';

/** Decides what an answered call is charged by: the vendor's counts as far as they can be true. What a vendor counts beyond that is the operator's loss. */
@Injectable()
export class UsageService {
  private readonly log = new Logger(UsageService.name);

  constructor(private readonly metrics: Metrics) {}

  /** The counts of an answered call; never more than it was admitted with. */
  async settle(priced: PricedModel, request: CompletionRequest, completion: Completion): Promise<SettledUsage> {
    const { usage: reported } = completion;
    const limits = tokenLimits(request.prompt, priced.model.vendor, request.maxTokens);
    const estimated = untrueSides(reported, request.prompt, completion.text);
    const aboveLimit = reported === undefined ? [] : sidesAbove(reported, limits);
    const counts = fitted(await this.completed(reported, estimated, request.prompt, completion.text), limits);
    if (reported !== undefined && aboveLimit.length > 0) this.tellOperator(priced, reported, counts, limits);
    return { counts, estimated, aboveLimit, reported: reported === undefined || isSameUsage(reported, counts) ? undefined : reported };
  }

  /** The vendor's counts with ours in place of those that are missing or cannot be true. */
  private async completed(reported: TokenUsage | undefined, estimated: readonly Side[], prompt: string, answer: string): Promise<TokenUsage> {
    const input = estimated.includes('input') ? { inputTokens: await countTokens(prompt), cachedInputTokens: 0, cacheWriteTokens: 0 } : {};
    const output = estimated.includes('output') ? { outputTokens: await countTokens(answer), reasoningTokens: 0 } : {};
    return { ...NONE, ...reported, ...input, ...output };
  }

  private tellOperator({ model, price }: PricedModel, reported: TokenUsage, counts: TokenUsage, possible: TokenLimits): void {
    const difference = costOf(claimed(reported), price).cost.minus(costOf(counts, price).cost);
    const lost = difference.compare(Money.zero) > 0 ? difference : Money.zero;
    this.metrics.usageAboveLimit.inc({ provider: model.vendor }, Number(lost.toString()));
    this.log.error({ event: 'usage-above-limit', model: model.id, reported, possible, lostUsd: lost.toString() });
  }
}

const NONE: TokenUsage = { inputTokens: 0, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 0, reasoningTokens: 0 };
