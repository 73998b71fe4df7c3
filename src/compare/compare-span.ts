import { trace, type Span } from '@opentelemetry/api';
import { MCS } from '../observability/semantic-conventions';
import { inOwnTrace, inSpan } from '../observability/spans';
import { toApiError } from '../http/error.filter';
import type { CompareOutcome, CompareRun } from './compare.types';
import type { RunClaim } from './runs/run.types';

/** Runs a compare as a span of its request, or as a separate trace if it was claimed as a run. */
export function inCompareSpan(claim: RunClaim | undefined, work: () => Promise<CompareOutcome>): Promise<CompareOutcome> {
  const tracked = (span: Span | undefined) => (span === undefined ? work() : withOutcome(span, work()));
  return claim === undefined ? inSpan('compare', tracked) : inOwnTrace('compare', tracked, () => ({ attributes: { [MCS.runId]: claim.runId } }));
}

/** Notes on the span of a compare what it is, once its models are known to exist: until then their names are what a caller wrote. */
export function noteCompare({ evalId, command: { models, samples } }: CompareRun): void {
  trace.getActiveSpan()?.setAttributes({ [MCS.evalId]: evalId, [MCS.models]: models, [MCS.samples]: samples });
}

async function withOutcome(span: Span, work: Promise<CompareOutcome>): Promise<CompareOutcome> {
  try {
    const outcome = await work;
    const { stored: { record: { id, isFree, totalCost, charge } }, isReplay } = outcome;
    span.setAttributes({ [MCS.evalId]: id, [MCS.outcome]: isReplay ? 'replayed' : 'stored' });
    // Amounts are floats here, as in the metrics: they are looked at, never billed. A replay has cost nothing.
    if (!isReplay) span.setAttributes({ [MCS.isFree]: isFree, [MCS.cost]: Number(totalCost.toString()), [MCS.charge]: Number(charge.toString()) });
    return outcome;
  } catch (error) {
    span.setAttribute(MCS.outcome, toApiError(error).code);
    throw error;
  }
}
