import type { Ballot, VoteRequest } from '../../client/client';
import { groupDigits } from '../compare/limits';

/** A key, its vote, of which a skip has none, and the words for it. */
type Choice = readonly [key: string, winner: VoteRequest['winner'] | undefined, label: string];

const SKIP: Choice = ['s', undefined, 'Skip'];

/** The possible votes on a ballot, and the key that skips it. */
export const CHOICES: Readonly<Record<Ballot['kind'], readonly Choice[]>> = {
  pairwise: [
    ['1', '1', 'Answer 1'],
    ['2', '2', 'Answer 2'],
    ['0', 'tie', 'They tie'],
    ['x', 'none', 'None is good'],
    SKIP,
  ],
  rubric: [['1', 'yes', 'Yes'], ['2', 'no', 'No'], SKIP],
};

/** Such as "12 of 600, 1 skipped". */
export function progressText({ progress, skipped }: Pick<Ballot, 'progress'> & { skipped: number }): string {
  const { voted, items } = progress;
  return `${groupDigits(voted)} of ${groupDigits(items)}${skipped === 0 ? '' : `, ${skipped} skipped`}`;
}
