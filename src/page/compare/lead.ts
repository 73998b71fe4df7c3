import type { Eval } from '../../client/client';
import { factsOf } from './evaluated';

/** The word of each lead, the figure that decides it (of one answer, or the median or mean of several), and the least difference that counts. */
const LEADS = {
  fastest: { word: 'Fastest', figureOf: ({ latency_ms: latency }: Record<string, unknown>) => Number(factsOf(latency)['p50'] ?? latency), least: 50 },
  cheapest: { word: 'Cheapest', figureOf: ({ cost_usd: cost }: Record<string, unknown>) => Number(factsOf(cost)['mean'] ?? cost), least: 0 },
};
/** The part of the leading figure by which every other must be larger. */
const MIN_LEAD = 0.1;

/**
 * The words of the badge of a leading model; undefined for the others. Of single answers a model leads where every other answer took, or cost, at least
 * a tenth more, and took at least 50 ms more. A smaller difference counts as a tie, and so does a single answer. Of samples the service decides what is likely.
 */
export function leadText(stored: Eval | undefined, kind: keyof typeof LEADS, model: string): string | undefined {
  if (stored?.meta[`${kind}_model`] !== model) return undefined;
  const { word, figureOf, least } = LEADS[kind];
  const sampled = statisticsOfSamples(stored);
  const isConfident = sampled?.[kind]?.confident;
  if (isConfident === true) return `Likely ${kind}`;
  const answers = (sampled?.models ?? stored.results.filter(({ error }) => error === undefined)).map(factsOf);
  if (!hasLead(answers.map((each) => ({ model: each['model'], figure: figureOf(each) })), model, least)) return undefined;
  return `${word}${isConfident === false ? ', maybe luck' : ' this time'}`;
}

function statisticsOfSamples({ results, models, statistics }: Eval): Eval['statistics'] {
  return results.length > models.length ? statistics : undefined;
}

function hasLead(figures: readonly { model: unknown; figure: number }[], model: string, least: number): boolean {
  const own = Math.max(...figures.filter((each) => each.model === model).map(({ figure }) => figure));
  const others = figures.filter((each) => each.model !== model && Number.isFinite(each.figure));
  return others.length > 0 && others.every(({ figure }) => figure > own && figure - own >= Math.max(least, own * MIN_LEAD));
}
