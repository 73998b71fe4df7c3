import { costOf, type Cost } from '../billing/pricing';
import { writtenId } from '../../common/model-arm';
import { Money } from '../../common/money';
import { toStorable } from '../../common/postgres-text';
import { hasText } from '../evals/ranking';
import { foreignName } from '../../platform/observability/spans';
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
  const listed = costOf(counts, ended.priced.price);
  const stated = statedBelow(listed.cost, answered);
  return Object.assign(new Result(), {
    ...identity(ended, position),
    output: toStorable(answered.completion.text),
    latencyMs: answered.latencyMs,
    cost: stated ?? listed.cost,
    inputTokens: counts.inputTokens,
    outputTokens: counts.outputTokens,
    error: null,
    warnings: [...ended.warnings, ...substitutionWarnings(ended), ...warningsOf(answered, listed.cost)],
    details: {
      ...successDetails(ended, answered, listed),
      ...(stated !== undefined && { statedCost: stated.toString() }),
    },
    checks: null,
  });
}

/**
 * The cost that the vendor states, if it is below the list price: passing the cost through means the lower of the two.
 */
function statedBelow(listed: Money, { completion: { reportedCostUsd } }: BillableCall): Money | undefined {
  const stated = reportedCostUsd === undefined ? undefined : Money.of(reportedCostUsd);
  return stated !== undefined && stated.compare(listed) < 0 ? stated : undefined;
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
    details: {
      ...emptyDetails(ended),
      ...(ended.substitute !== undefined && { answeredBy: ended.substitute }),
      attempts,
    },
    checks: null,
  });
}

function identity({ priced }: ModelOutcome, position: number): Pick<Result, 'position' | 'model' | 'provider'> {
  return { position, model: writtenId(priced), provider: priced.model.provider };
}

function substitutionWarnings({ substitute, priced: { model } }: ModelOutcome): ResultWarning[] {
  return substitute === undefined
    ? []
    : [
        {
          code: 'model_substituted',
          message: `The vendor answered with ${substitute} instead of ${model.vendorModel}.`,
        },
      ];
}

function warningsOf({ completion, usage }: BillableCall, cost: Money): ResultWarning[] {
  const warnings: ResultWarning[] = [];
  if (completion.finishReason === 'length') warnings.push(limitWarning(completion.text, usage.counts));
  warnings.push(...usageWarnings(usage, completion.usage !== undefined));
  const stated = completion.reportedCostUsd;
  if (stated !== undefined && Money.of(stated).compare(cost) > 0) {
    warnings.push({
      code: 'price_differs',
      message: `The vendor reports a cost of ${Money.of(stated).toString()} USD for this call; cost_usd is computed from the catalog's prices, which are lower.`,
    });
  }
  return warnings;
}

function limitWarning(text: string, { outputTokens, reasoningTokens }: TokenUsage): ResultWarning {
  if (hasText(text))
    return {
      code: 'output_truncated',
      message:
        'The output was truncated at max_tokens (reasoning tokens count as output); it is billed as the vendor bills it.',
    };
  const thought = reasoningTokens > 0 ? `, ${reasoningTokens} of them for thought` : '';
  return {
    code: 'no_room_for_answer',
    message: `The model reached its limit without any text, after ${outputTokens} output tokens${thought}; it is billed as the vendor bills it. A larger max_tokens or reasoning_tokens gives it room.`,
  };
}

function usageWarnings({ estimated, aboveLimit }: BilledUsage, isReported: boolean): ResultWarning[] {
  const warnings: ResultWarning[] = [];
  if (!isReported) {
    warnings.push({
      code: 'usage_estimated',
      message: 'The vendor did not report token counts; the counts and the cost are estimated.',
    });
  } else if (estimated.length > 0) {
    warnings.push({
      code: 'usage_estimated',
      message: `The vendor's count of ${listSides(estimated)} tokens is implausible; the count and the cost are estimated.`,
    });
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
    applied: {
      [dialect.maxTokensField]: applied.maxTokens,
      ...(applied.reasoningTokens > 0 && { reasoning_tokens: applied.reasoningTokens }),
      ...(applied.reasoningEffort !== undefined && { reasoning_effort: applied.reasoningEffort }),
      ...(applied.temperature !== undefined && { temperature: applied.temperature }),
      ...(applied.responseFormat !== undefined && { response_format: applied.responseFormat.type }),
    },
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
  const numbers = Object.entries(reported).map(([kind, count]: [string, unknown]) => [
    kind,
    Number.isFinite(count) ? count : null,
  ]);
  return Object.fromEntries(numbers) as ReportedUsage;
}
