import { trace } from '@opentelemetry/api';
import { Money } from '../../common/money';
import { toApiError } from '../../common/to-api-error';
import type { Metrics } from '../../platform/observability/metrics';
import { MCS } from '../../platform/observability/semantic-conventions';
import type { Result } from '../evals/result.entity';
import type { ActiveCompare } from './active-compare';
import type { CompareOutcome } from './compare.types';
import type { ModelOutcome } from './model-outcome';

/** Names a compare on its span once its models are known to exist: until then their names are a caller's text. */
export function nameOnSpan({ evalId, command: { models, samples } }: ActiveCompare): void {
  trace.getActiveSpan()?.setAttributes({ [MCS.evalId]: evalId, [MCS.models]: models, [MCS.samples]: samples });
}

/**
 * Counts a call of a model. `result` is what the caller gets, `built` what the call had before the caller refused the
 * answer of another model; the operator pays the vendor for it all the same.
 */
export function recordCall(
  { metrics, log }: Pick<ActiveCompare, 'metrics' | 'log'>,
  call: ModelOutcome,
  built: Result,
  result: Result,
): void {
  const { priced, outcome, substitute } = call;
  const { id, vendor, vendorModel } = priced.model;
  const isAnswered = !('failure' in outcome);
  if (isAnswered) recordStatedCost(metrics, vendor, outcome.completion.reportedCostUsd, built.cost);
  metrics.modelCallEnded({ ...result, model: id, vendor, vendorModel, ttftMs: isAnswered ? outcome.ttftMs : null });
  if (substitute === undefined) return;
  metrics.substitutions.inc({ provider: vendor });
  if (result === built) return;
  const lostUsd = built.cost.toString();
  metrics.refusedSubstitutes.inc({ provider: vendor }, Number(lostUsd));
  log.error({ event: 'substitute-refused', model: id, answeredBy: substitute, lostUsd });
}

/** Counts the part of the cost stated by a vendor that is above the cost of the result, which the operator pays. */
function recordStatedCost(metrics: Metrics, provider: string, stated: string | undefined, cost: Money): void {
  const excess = stated === undefined ? 0 : Number(Money.of(stated).minus(cost).toString());
  if (excess > 0) metrics.statedAboveList.inc({ provider }, excess);
}

/** Counts a compare that ended with an eval. A replay has cost nothing. */
export function recordOutcome(metrics: Metrics, { stored, isReplay }: CompareOutcome, overheadMs: number): void {
  const { id, isFree, totalCost, charge } = stored.record;
  const outcome = isReplay ? 'replayed' : 'stored';
  metrics.compares.inc({ outcome });
  const span = trace.getActiveSpan();
  span?.setAttributes({ [MCS.evalId]: id, [MCS.outcome]: outcome });
  if (isReplay) return;
  metrics.evalStored({ charge, isFree, overheadMs });
  // Amounts are floats here, as in the metrics: they are looked at, never billed.
  span?.setAttributes({
    [MCS.isFree]: isFree,
    [MCS.cost]: Number(totalCost.toString()),
    [MCS.charge]: Number(charge.toString()),
  });
}

/** Counts a compare that ended without an eval. */
export function recordFailure(metrics: Metrics, error: unknown): void {
  const { code } = toApiError(error);
  metrics.compareFailed(code);
  trace.getActiveSpan()?.setAttribute(MCS.outcome, code);
}

/** The fields of the log line of a compare with its texts. */
export function textsOf({ requestId, lock }: ActiveCompare, { stored, isReplay }: CompareOutcome): object {
  const { id: evalId, prompt, input } = stored.record;
  const outputs = stored.results.map(({ model, output }) => ({ model, output }));
  return {
    ...(lock === undefined ? { reqId: requestId } : { runId: lock.runId }),
    evalId,
    isReplay,
    prompt,
    input,
    outputs,
  };
}
