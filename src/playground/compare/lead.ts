import type { Eval } from '../../client/client';
import { factsOf } from './evaluated';
import { money, secondsText } from './figures';

const WORDS = { fastest: 'Fastest', cheapest: 'Cheapest' };

/** The words of the badge of a leading model; undefined for the others, and where another model shows the same figure. */
export function leadText(stored: Eval | undefined, kind: keyof typeof WORDS, model: string): string | undefined {
  if (stored?.meta[`${kind}_model`] !== model) return undefined;
  const { [kind]: leader, models } = factsOf(factsOf(stored)['statistics']);
  const { confident } = factsOf(leader);
  const isSampled = stored.results.length > stored.models.length;
  if (isSampled && confident === true) return WORDS[kind];
  const figures: readonly unknown[] = isSampled && Array.isArray(models) ? models : stored.results.filter(({ error }) => error === undefined);
  const shown = figures.map(factsOf).map((each) => [each['model'], kind === 'fastest' ? latencyText(each) : costText(each)]);
  const own = shown.find(([name]) => name === model)?.[1];
  if (shown.some(([name, text]) => name !== model && text === own)) return undefined;
  return `${WORDS[kind]}${isSampled && confident === false ? ', may be luck' : ' this time'}`;
}

/** Of one answer, or the median of several. */
function latencyText({ latency_ms: latency }: Record<string, unknown>): string {
  return secondsText(Number(factsOf(latency)['p50'] ?? latency));
}

function costText({ cost_usd: cost }: Record<string, unknown>): string {
  return money(factsOf(cost)['mean'] ?? cost).text;
}
