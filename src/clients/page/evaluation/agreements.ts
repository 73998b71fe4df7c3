import type { Agreement } from '../../client/client';

/** British English has no comma before the last name. */
const LIST = new Intl.ListFormat('en-GB');

/** Who agrees with whom, in a sentence. */
export function groupSentence({ models, groups }: Pick<Agreement, 'models' | 'groups'>): string {
  const [largest] = [...groups].sort((a, b) => b.length - a.length);
  if (largest === undefined || largest.length < 2) return 'No two models agree.';
  if (largest.length === models.length) return 'All models agree.';
  const others = groups.filter((group) => group !== largest && group.length > 1);
  return `${[largest, ...others].map((group) => `${LIST.format(group)} agree`).join('; ')}.`;
}
