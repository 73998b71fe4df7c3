import { costOf, type Cost } from '../billing/pricing';
import { Money } from '../common/money';
import { toStorable } from '../common/postgres-text';
import { foreignName } from '../observability/spans';
import { Result, type ReportedUsage, type ResultDetails, type ResultWarning } from '../evals/result.entity';
import type { Failed } from '../providers/model-call.service';
import type { TokenUsage } from '../providers/provider';
import type { BillableCall, ModelOutcome } from './model-outcome';
import type { BilledUsage, Side } from '../billing/token-usage';

/** Builds the result of one model: its text, token counts and cost, or why it failed. */
export function buildResult(ended: ModelOutcome, position: number): Result {
  const { outcome } = ended;
  return 'failure' in outcome ? failedResult(ended, outcome, position) : successfulResult(ended, outcome, position);
}

function successfulResult(ended: ModelOutcome, answered: BillableCall, position: number): Result {
  const { counts } = answered.usage;
  const price = costOf(counts, ended.priced.price);
  return Object.assign(new Result(), {
    ...identity(ended, position),
    output: toStorable(answered.completion.text),
    latencyMs: answered.latencyMs,
    cost: price.cost,
    inputTokens: counts.inputTokens,
    outputTokens: counts.outputTokens,
    error: null,
    warnings: [...ended.warnings, ...warningsOf(answered, price.cost)],
    details: successDetails(ended, answered, price),
    checks: null,
  });
}

function failedResult(ended: ModelOutcome, { failure, latencyMs, attempts }: Failed, position: number): Result {
  return Object.assign(new Result(), {
    ...identity(ended, position),
    output: '',
    latencyMs,
    cost: Money.zero,
    inputTokens: 0,
    outputTokens: 0,
    error: { code: failure.code, message: failure.message, retryable: failure.retryable },
    warnings: ended.warnings,
    details: { ...emptyDetails(ended), attempts },
    checks: null,
  });
}

function identity({ priced: { model } }: ModelOutcome, position: number): Pick<Result, 'position' | 'model' | 'provider'> {
  return { position, model: model.id, provider: model.provider };
}

function warningsOf({ completion, usage }: BillableCall, cost: Money): ResultWarning[] {
  const warnings: ResultWarning[] = [];
  if (completion.finishReason === 'length') {
    warnings.push({ code: 'output_truncated', message: 'The output was truncated at max_tokens (reasoning tokens count as output); it is billed as the vendor bills it.' });
  }
  warnings.push(...usageWarnings(usage, completion.usage !== undefined));
  const stated = completion.reportedCostUsd;
  if (stated !== undefined && Money.of(stated).compare(cost) !== 0) {
    warnings.push({ code: 'price_differs', message: `The vendor reports a cost of ${Money.of(stated).toString()} USD for this call; cost_usd is computed from the catalog's prices.` });
  }
  return warnings;
}

function usageWarnings({ estimated, aboveLimit }: BilledUsage, isReported: boolean): ResultWarning[] {
  const warnings: ResultWarning[] = [];
  if (!isReported) {
    warnings.push({ code: 'usage_estimated', message: 'The vendor did not report token counts; the counts and the cost are estimated.' });
  } else if (estimated.length > 0) {
    warnings.push({ code: 'usage_estimated', message: `The vendor's count of ${listSides(estimated)} tokens is implausible; the count and the cost are estimated.` });
  }
  if (aboveLimit.length > 0) {
    warnings.push({
      code: 'usage_above_limit',
      message: `The vendor counted more ${listSides(aboveLimit)} tokens than this call can have used; the excess is neither counted nor charged. Use include=details to see the vendor's own counts.`,
    });
  }
  return warnings;
}

function listSides(sides: readonly Side[]): string {
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

function successDetails(ended: ModelOutcome, answered: BillableCall, { rates }: Cost): ResultDetails {
  const { counts, reported } = answered.usage;
  // Whatever a vendor sends that is no name is left out.
  const answeredBy = foreignName(answered.completion.responseModel);
  return {
    ...emptyDetails(ended),
    ...(answeredBy !== undefined && { answeredBy }),
    finishReason: answered.completion.finishReason,
    attempts: answered.attempts,
    ttftMs: answered.ttftMs,
    cachedInputTokens: counts.cachedInputTokens,
    cacheWriteTokens: counts.cacheWriteTokens,
    reasoningTokens: counts.reasoningTokens,
    ...(reported !== undefined && { reported: finiteCounts(reported) }),
    rates: {
      input: rates.input.toString(),
      cachedInput: (rates.cachedInput ?? rates.input).toString(),
      cacheWrite: (rates.cacheWrite ?? rates.input).toString(),
      output: rates.output.toString(),
    },
  };
}

// JSON has no infinity, and a vendor may send anything instead of a number.
function finiteCounts(reported: TokenUsage): ReportedUsage {
  const numbers = Object.entries(reported).map(([kind, count]: [string, unknown]) => [kind, Number.isFinite(count) ? count : null]);
  return Object.fromEntries(numbers) as ReportedUsage;
}
