import { Money } from '../../common/money';
import { ratesFor, type Price, type Rates } from '../models/catalog';
import type { CompletionRequest, TokenUsage, Vendor } from '../providers/provider';

/** The exact cost of a model call, and the rates it was computed with. */
export interface Cost {
  cost: Money;
  rates: Rates;
}

/** Cost of one call: each kind of token at its own rate. Reasoning is part of the output. */
export function costOf(usage: TokenUsage, price: Price): Cost {
  const rates = ratesFor(price, usage.inputTokens);
  const plainInput = usage.inputTokens - usage.cachedInputTokens - usage.cacheWriteTokens;
  const cost = Money.sum([
    rates.input.perMillion(plainInput),
    (rates.cachedInput ?? rates.input).perMillion(usage.cachedInputTokens),
    (rates.cacheWrite ?? rates.input).perMillion(usage.cacheWriteTokens),
    rates.output.perMillion(usage.outputTokens),
  ]);
  return { cost, rates };
}

/** The price at which a usage costs least; the first of equal ones. */
export function cheapestPrice(usage: TokenUsage, first: Price, others: readonly Price[]): Price {
  return others.reduce(
    (best, price) => (costOf(usage, price).cost.compare(costOf(usage, best).cost) < 0 ? price : best),
    first,
  );
}

/** The most tokens of each kind that a call can truthfully use. */
export interface TokenLimits {
  inputTokens: number;
  outputTokens: number;
}

/** Tokens that a vendor may add around a prompt: roles, separators, a preamble. */
const FRAME_TOKENS = 256;
/** Vendors that may add more: xAI counts a preamble. */
const LONG_FRAME_TOKENS: Partial<Record<Vendor, number>> = { xai: 1024 };

/** Tokens that a vendor may add around a turn, with the blank line if it is joined with another. */
const TURN_TOKENS = 18;
/** Tokens of the turn that may be put before one of the assistant: turns never count more once they are adapted. */
const OPENING_TOKENS = 64;

/** Tokens that a vendor may add to explain a response format to the model. */
const FORMAT_TOKENS = 512;

/**
 * The most a call can be counted as: no tokenizer makes more tokens than bytes, and thought is a part of the output
 * limit with every vendor.
 */
export function tokenLimits(
  {
    prompt,
    system = '',
    history,
    responseFormat,
    maxTokens,
  }: Pick<CompletionRequest, 'prompt' | 'system' | 'history' | 'responseFormat' | 'maxTokens'>,
  vendor: Vendor,
): TokenLimits {
  const formatTokens =
    responseFormat === undefined ? 0 : Buffer.byteLength(JSON.stringify(responseFormat)) + FORMAT_TOKENS;
  return {
    inputTokens:
      Buffer.byteLength(prompt) +
      Buffer.byteLength(system) +
      (history?.reduce((sum, { content }) => sum + Buffer.byteLength(content) + TURN_TOKENS, 0) ?? 0) +
      (history?.[0]?.role === 'assistant' ? OPENING_TOKENS : 0) +
      formatTokens +
      (LONG_FRAME_TOKENS[vendor] ?? FRAME_TOKENS),
    outputTokens: maxTokens,
  };
}

/**
 * The most a call can cost: every byte a token, all of it at the dearest input rate that can hold, and all of the
 * output limit used.
 */
export function maxCost(price: Price, { inputTokens, outputTokens }: TokenLimits): Money {
  const all =
    inputTokens > (price.longContext?.aboveInputTokens ?? Infinity) ? [price, price.longContext ?? price] : [price];
  const input = maxRate(
    all.flatMap((rates) => [rates.input, rates.cachedInput ?? rates.input, rates.cacheWrite ?? rates.input]),
  );
  const output = maxRate(all.map((rates) => rates.output));
  return input.perMillion(inputTokens).plus(output.perMillion(outputTokens));
}

/** The least a call can cost if the prompt is counted as that many tokens: all of them cached, one token out. */
export function minCost(price: Price, inputTokens: number): Money {
  const { input, cachedInput, output } = ratesFor(price, inputTokens);
  return (cachedInput ?? input).perMillion(inputTokens).plus(output.perMillion(1));
}

function maxRate(rates: readonly Money[]): Money {
  return rates.reduce((most, next) => (next.compare(most) > 0 ? next : most));
}

/** The charge for a cost: cost × (1 + margin), exact; zero for a free eval. */
export function chargeOf(cost: Money, margin: string, isFree: boolean): Money {
  return isFree ? Money.zero : cost.plus(cost.times(margin));
}

export interface Pricing {
  label: string;
  description: string;
  /** As a fraction. */
  margin: Money;
  freeModels: readonly string[];
}

/** The pass-through scheme: the cost of the model calls plus a margin. */
export function passThrough(margin: string, freeModels: readonly string[]): Pricing {
  const fraction = Money.of(margin);
  return {
    label: 'pass-through',
    description: `Model cost plus a ${fraction.times('100').toString()} percent margin.`,
    margin: fraction,
    freeModels,
  };
}
