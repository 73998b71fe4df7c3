import { costOf, type Cost } from '../billing/pricing';
import { Money } from '../common/money';
import { toStorable } from '../common/postgres-text';
import { Result, type ReportedUsage, type ResultDetails, type ResultWarning } from '../evals/result.entity';
import type { TokenUsage } from '../providers/provider';
import type { Counted, ModelOutcome } from './fan-out.service';
import type { Failed } from '../providers/model-call.service';
import type { SettledUsage, Side } from './token-usage';

/** Writes down how one model ended: its text, its counts, its cost, or why it failed. */
export function buildResult(ended: ModelOutcome, position: number): Result {
  const { outcome } = ended;
  return 'failure' in outcome ? failedResult(ended, outcome, position) : goodResult(ended, outcome, position);
}

function goodResult(ended: ModelOutcome, answered: Counted, position: number): Result {
  const { counts } = answered.usage;
  const price = costOf(counts, ended.priced.price);
  return Object.assign(new Result(), {
    ...common(ended, position),
    output: toStorable(answered.completion.text),
    latencyMs: answered.latencyMs,
    cost: price.cost,
    inputTokens: counts.inputTokens,
    outputTokens: counts.outputTokens,
    error: null,
    warnings: [...ended.warnings, ...warningsOf(answered, price.cost)],
    details: details(ended, answered, price),
  });
}

function failedResult(ended: ModelOutcome, { failure, latencyMs, attempts }: Failed, position: number): Result {
  return Object.assign(new Result(), {
    ...common(ended, position),
    output: '',
    latencyMs,
    cost: Money.zero,
    inputTokens: 0,
    outputTokens: 0,
    error: { code: failure.code, message: failure.message, retryable: failure.retryable },
    warnings: ended.warnings,
    details: { ...emptyDetails(ended), attempts },
  });
}

function common({ priced: { model } }: ModelOutcome, position: number): Pick<Result, 'position' | 'model' | 'provider'> {
  return { position, model: model.id, provider: model.provider };
}

function warningsOf({ completion, usage }: Counted, cost: Money): ResultWarning[] {
  const warnings: ResultWarning[] = [];
  if (completion.finishReason === 'length') {
    warnings.push({ code: 'output_truncated', message: 'The answer was cut at max_tokens (reasoning counts as output); it is billed as the vendor bills it.' });
  }
  warnings.push(...usageWarnings(usage, completion.usage !== undefined));
  const stated = completion.statedCostUsd;
  if (stated !== undefined && Money.of(stated).compare(cost) !== 0) {
    warnings.push({ code: 'price_differs', message: `The vendor states that this call cost ${Money.of(stated).toString()} USD; cost_usd follows the catalog's prices.` });
  }
  return warnings;
}

function usageWarnings({ estimated, aboveLimit }: SettledUsage, isReported: boolean): ResultWarning[] {
  const warnings: ResultWarning[] = [];
  if (!isReported) {
    warnings.push({ code: 'usage_estimated', message: 'The vendor did not report its token counts; they are estimated, and so is the cost.' });
  } else if (estimated.length > 0) {
    warnings.push({ code: 'usage_estimated', message: `The vendor's count of ${named(estimated)} tokens cannot be true; it is estimated, and so is the cost.` });
  }
  if (aboveLimit.length > 0) {
    warnings.push({
      code: 'usage_above_limit',
      message: `The vendor counted more ${named(aboveLimit)} tokens than this call can have used. What is beyond that is neither counted nor charged here; include=details shows the vendor's own counts.`,
    });
  }
  return warnings;
}

function named(sides: readonly Side[]): string {
  return sides.join(' and ');
}

function emptyDetails({ priced, applied }: ModelOutcome): ResultDetails {
  const { dialect, vendorModel } = priced.model;
  return {
    vendorModel,
    charge: '0',
    finishReason: null,
    attempts: 0,
    ttftMs: null,
    cachedInputTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    applied: { [dialect.maxTokensField]: applied.maxTokens, ...(applied.temperature !== undefined && { temperature: applied.temperature }) },
    rates: null,
  };
}

function details(ended: ModelOutcome, answered: Counted, { rates }: Cost): ResultDetails {
  const { counts, reported } = answered.usage;
  return {
    ...emptyDetails(ended),
    finishReason: answered.completion.finishReason,
    attempts: answered.attempts,
    ttftMs: answered.ttftMs,
    cachedInputTokens: counts.cachedInputTokens,
    cacheWriteTokens: counts.cacheWriteTokens,
    reasoningTokens: counts.reasoningTokens,
    ...(reported !== undefined && { reported: storable(reported) }),
    rates: {
      input: rates.input.toString(),
      cachedInput: (rates.cachedInput ?? rates.input).toString(),
      cacheWrite: (rates.cacheWrite ?? rates.input).toString(),
      output: rates.output.toString(),
    },
  };
}

// JSON knows no infinity, and a vendor may send anything in place of a number.
function storable(reported: TokenUsage): ReportedUsage {
  const numbers = Object.entries(reported).map(([kind, count]: [string, unknown]) => [kind, Number.isFinite(count) ? count : null]);
  return Object.fromEntries(numbers) as ReportedUsage;
}
