import { factsOf } from '../compare/evaluated';
import { numberIn } from '../evaluation/numbers';

/** A figure of the earlier and of the later eval; undefined where the model did not answer. */
export interface Change {
  before: number | undefined;
  after: number | undefined;
}

/** The changes of one model. */
export interface ModelChange {
  model: string;
  output: 'same' | 'equivalent' | 'changed' | undefined;
  similarity: number | undefined;
  latency: Change;
  outputTokens: Change;
  /** Exact amounts. */
  cost: { before: string | undefined; after: string | undefined };
  /** Names of checks. */
  improved: readonly string[];
  regressed: readonly string[];
  /** The changed settings, in words. */
  settings: readonly string[];
  /** The service's words about luck. */
  because: string;
}

/** The changes from an earlier eval to a later one. */
export interface DriftView {
  against: string;
  requestChanged: readonly string[];
  models: readonly ModelChange[];
  onlyBefore: readonly string[];
  onlyAfter: readonly string[];
}

/** Reads what the service says about drift. */
export function driftOf(answer: unknown): DriftView {
  const { against, request_changed: changed, models, only_before: before, only_after: after } = factsOf(answer);
  return { against: textOf(against) ?? '', requestChanged: textsOf(changed), models: Array.isArray(models) ? models.map(modelChange) : [], onlyBefore: textsOf(before), onlyAfter: textsOf(after) };
}

/** How much more, such as "+12 %"; undefined where there is nothing to relate to. */
export function relativeChange({ before, after }: Change): string | undefined {
  if (before === undefined || after === undefined || before === 0) return undefined;
  const percent = Math.round((after / before - 1) * 100);
  return percent === 0 ? '±0 %' : `${percent > 0 ? '+' : '−'}${Math.abs(percent)} %`;
}

function modelChange(value: unknown): ModelChange {
  const { model, output, latency_ms: latency, output_tokens: tokens, cost_usd: cost, checks, because } = factsOf(value);
  return {
    model: textOf(model) ?? '', output: output === 'same' || output === 'equivalent' || output === 'changed' ? output : undefined, similarity: numberIn(value, 'similarity'),
    latency: pairOf(latency), outputTokens: pairOf(tokens),
    cost: { before: textOf(factsOf(cost)['before']), after: textOf(factsOf(cost)['after']) },
    improved: textsOf(factsOf(checks)['improved']), regressed: textsOf(factsOf(checks)['regressed']), settings: settingsOf(factsOf(value)), because: textOf(because) ?? '',
  };
}

function settingsOf({ vendor_model: vendor, answered_by: answeredBy, applied, prices }: Record<string, unknown>): string[] {
  const [name, before, after] = [factsOf(vendor), textOf(factsOf(vendor)['before']), textOf(factsOf(vendor)['after'])];
  return [
    ...(name['changed'] === true ? [`the vendor’s model is now ${after ?? 'another'}${before === undefined ? '' : `, was ${before}`}`] : []),
    ...(factsOf(answeredBy)['changed'] === true ? [`the vendor changed the model: now ${textsOf(factsOf(answeredBy)['after']).join(', ')}, before ${textsOf(factsOf(answeredBy)['before']).join(', ')}`] : []),
    ...(factsOf(applied)['changed'] === true ? ['other parameters were sent'] : []),
    ...(factsOf(prices)['changed'] === true ? ['the prices changed'] : []),
  ];
}

function pairOf(value: unknown): Change {
  return { before: numberIn(value, 'before'), after: numberIn(value, 'after') };
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((text) => typeof text === 'string') : [];
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;
}
