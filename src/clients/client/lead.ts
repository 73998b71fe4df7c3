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
 * says; undefined where it does not. Every other answer with text
 * took at least 1.25 times as long and 20 ms more, or cost at least 1.1 times as much. A smaller lead is a tie; a model
 * without text leads nothing.
 */
export function leadOf(
  stored: Eval | undefined,
  kind: LeadKind,
  model: string,
): 'likely' | 'unsure' | 'once' | undefined {
  if (
    stored?.meta[`${kind}_model`] !== model ||
    !stored.results.some((result) => result.model === model && isWritten(result))
  )
    return undefined;
  if (stored.results.length === stored.models.length || stored.statistics === undefined)
    return isAhead(stored, stored.results, kind) ? 'once' : undefined;
  if (stored.statistics[kind]?.confident === true) return 'likely';
  return isAhead(stored, stored.statistics.models, kind) ? 'unsure' : undefined;
}

/** True if an answer has text. A shared eval may hide its texts. */
export function isWritten({ error, output = '?' }: Partial<Eval['results'][number]>): boolean {
  return error === undefined && /\S/.test(output);
}

function isAhead({ meta, results }: Eval, figures: readonly Figures[], kind: LeadKind): boolean {
  const { member, ofSamples, ratio, least } = LEADS[kind];
  const withText = new Set<unknown>(results.filter(isWritten).map(({ model }) => model));
  const figureOf = ({ [member]: figure }: Figures) =>
    Number((figure as Figures | null | undefined)?.[ofSamples] ?? figure);
  const isLeader = ({ model }: Figures) => model === meta[`${kind}_model`];
  const own = Math.max(...figures.filter(isLeader).map(figureOf));
  const others = figures
    .filter((each) => !isLeader(each) && withText.has(each['model']))
    .map(figureOf)
    .filter(Number.isFinite);
  return others.length > 0 && others.every((figure) => figure > own && figure - own >= least && figure >= own * ratio);
}
