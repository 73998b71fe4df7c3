import type { Eval } from '../../client/client';
import { factsOf } from './evaluated';
import { money, secondsText } from './figures';

/** The word of each lead, and the figure that decides it: of one answer, or the median or mean of several. */
const LEADS = {
  fastest: { word: 'Fastest', textOf: ({ latency_ms: latency }: Record<string, unknown>) => secondsText(Number(factsOf(latency)['p50'] ?? latency)) },
  cheapest: { word: 'Cheapest', textOf: ({ cost_usd: cost }: Record<string, unknown>) => money(factsOf(cost)['mean'] ?? cost).text },
};

/** The words of the badge of a leading model; undefined for the others, and where another model shows the same figure. */
export function leadText(stored: Eval | undefined, kind: keyof typeof LEADS, model: string): string | undefined {
  if (stored?.meta[`${kind}_model`] !== model) return undefined;
  const { word, textOf } = LEADS[kind];
  const { [kind]: leader, models } = factsOf(factsOf(stored)['statistics']);
  const { confident } = factsOf(leader);
  const isSampled = stored.results.length > stored.models.length;
  if (isSampled && confident === true) return word;
  const figures = (isSampled && Array.isArray(models) ? models : stored.results.filter(({ error }) => error === undefined)).map(factsOf);
  const own = figures.filter((each) => each['model'] === model).map(textOf);
  if (figures.some((each) => each['model'] !== model && own.includes(textOf(each)))) return undefined;
  return `${word}${isSampled && confident === false ? ', not sure' : ' this time'}`;
}
