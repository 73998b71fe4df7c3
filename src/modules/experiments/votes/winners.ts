/** The possible votes: on pairs, and of a rubric. */
export const WINNERS = ['1', '2', 'tie', 'none', 'yes', 'no'] as const;
export type Winner = (typeof WINNERS)[number];

/** A vote on an item, in the order of the item's models. */
export interface CountedVote {
  /** The row of the judged experiment, and the number of the item in it. */
  rowNo: number;
  itemNo: number;
  voter: string;
  winner: Winner;
  isRandom: boolean;
}
