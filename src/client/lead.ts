import type { Eval } from './types';

/** The figure that decides each lead (of one answer, or the median or mean of several), the least ratio to it that every other model has, and the least difference. */
const LEADS = {
  fastest: { member: 'latency_ms', ofSamples: 'p50', ratio: 1.25, least: 20 },
  cheapest: { member: 'cost_usd', ofSamples: 'mean', ratio: 1.1, least: 0 },
} as const;

/** What a model may lead in. */
export type LeadKind = keyof typeof LEADS;
type Figures = Readonly<Record<string, unknown>>;

/**
 * How a model leads, for the page and `mcs`: `once` by single answers, of samples `likely` or `unsure` as the service says; undefined where it does not. Every other answer with text
 * took at least 1.25 times as long and 20 ms more, or cost at least 1.1 times as much. A smaller lead is a tie; a model without text leads nothing.
 */
export function leadOf(stored: Eval | undefined, kind: LeadKind, model: string): 'likely' | 'unsure' | 'once' | undefined {
  if (stored?.meta[`${kind}_model`] !== model) return undefined;
  const { results, models, statistics } = stored;
  const sampled = results.length > models.length ? statistics : undefined;
  const written = results.filter(isWritten);
  const withText = new Set<unknown>(written.map((result) => result.model));
  if (!withText.has(model)) return undefined;
  if (sampled?.[kind]?.confident === true) return 'likely';
  const figures = ((sampled?.models ?? written) as readonly Figures[]).filter((each) => withText.has(each['model']));
  return isAhead(figures, kind, model) ? (sampled?.[kind]?.confident === false ? 'unsure' : 'once') : undefined;
}

/** A shared eval may hide its texts. */
function isWritten({ error, output = '?' }: Partial<Eval['results'][number]>): boolean {
  return error === undefined && /\S/.test(output);
}

function isAhead(figures: readonly Figures[], kind: LeadKind, model: string): boolean {
  const { member, ofSamples, ratio, least } = LEADS[kind];
  const figureOf = ({ [member]: figure }: Figures) => Number((figure as Figures | null | undefined)?.[ofSamples] ?? figure);
  const own = Math.max(...figures.filter((each) => each['model'] === model).map(figureOf));
  const others = figures.filter((each) => each['model'] !== model).map(figureOf).filter(Number.isFinite);
  return others.length > 0 && others.every((figure) => figure > own && figure - own >= least && figure >= own * ratio);
}
