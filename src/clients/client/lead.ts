import type { Eval } from './types';

/**
 * The figure that decides each lead (of one answer, or the median or mean of several), the least ratio to it that every
 * other model has, and the least difference.
 */
const LEADS = {
  fastest: { member: 'latency_ms', ofSamples: 'p50', ratio: 1.25, least: 20 },
  cheapest: { member: 'cost_usd', ofSamples: 'mean', ratio: 1.1, least: 0 },
} as const;

/** A figure that a model may lead in. */
export type LeadKind = keyof typeof LEADS;
type Figures = Readonly<Record<string, unknown>>;

/**
 * How a model leads, for the page and `mcs`: `once` by single answers, of samples `likely` or `unsure` as the service
 * says; undefined where it does not. Every other answer with text took at least 1.25 times as long and 20 ms more, or
 * cost at least 1.1 times as much. A smaller lead is a tie; a model without text leads nothing. With checks, only models
 * that pass are looked at.
 */
export function leadOf(
  stored: Eval | undefined,
  kind: LeadKind,
  model: string,
): 'likely' | 'unsure' | 'once' | undefined {
  if (stored === undefined || !mayLead(stored, kind, model)) return undefined;
  if (stored.results.length === stored.models.length || stored.statistics === undefined)
    return isAhead(stored, stored.results, kind, model) ? 'once' : undefined;
  const { confident, model: leader } = stored.statistics[kind] ?? {};
  if (confident === true && leader === model) return 'likely';
  return isAhead(stored, stored.statistics.models, kind, model) ? 'unsure' : undefined;
}

/**
 * The model of the lowest median cost among those all of whose answers pass, as `details.leaders` has it; null if none
 * does, and undefined without checks.
 */
export function cheapestPassing(stored: Eval | undefined): string | null | undefined {
  if (stored === undefined || !hasChecks(stored)) return undefined;
  const costOf = (model: string): number => {
    const costs = stored.results.filter((result) => result.model === model).map(({ cost_usd: cost }) => Number(cost));
    costs.sort((one, other) => one - other);
    return (costs[(costs.length - 1) >> 1] ?? 0) + (costs[costs.length >> 1] ?? 0);
  };
  const [first = null, ...others] = eligibleModels(stored);
  return others.reduce((least, one) => (least !== null && costOf(one) < costOf(least) ? one : least), first);
}

function mayLead(stored: Eval, kind: LeadKind, model: string): boolean {
  return eligibleModels(stored).has(model) && (hasChecks(stored) || stored.meta[`${kind}_model`] === model);
}

function hasChecks({ results }: Eval): boolean {
  return results.some(({ checks }) => (checks?.length ?? 0) > 0);
}

/** The models with text, and with checks those all of whose answers pass. */
function eligibleModels(stored: Eval): Set<string> {
  const { models, results } = stored;
  const isPassed = ({ error, checks = [] }: Eval['results'][number]) =>
    error === undefined && checks.length > 0 && checks.every(({ outcome }) => outcome === 'pass');
  return new Set(
    models.filter((model) => {
      const own = results.filter((result) => result.model === model);
      return own.some(isWritten) && (!hasChecks(stored) || own.every(isPassed));
    }),
  );
}

/** True if an answer has text. A shared eval may hide its texts. */
export function isWritten({ error, output = '?' }: Partial<Eval['results'][number]>): boolean {
  return error === undefined && /\S/.test(output);
}

function isAhead(stored: Eval, figures: readonly Figures[], kind: LeadKind, leader: string): boolean {
  const { member, ofSamples, ratio, least } = LEADS[kind];
  const eligible: ReadonlySet<unknown> = eligibleModels(stored);
  const figureOf = ({ [member]: figure }: Figures) =>
    Number((figure as Figures | null | undefined)?.[ofSamples] ?? figure);
  const isLeader = ({ model }: Figures) => model === leader;
  const own = Math.max(...figures.filter(isLeader).map(figureOf));
  const others = figures
    .filter((each) => !isLeader(each) && eligible.has(each['model']))
    .map(figureOf)
    .filter(Number.isFinite);
  return others.length > 0 && others.every((figure) => figure > own && figure - own >= least && figure >= own * ratio);
}
