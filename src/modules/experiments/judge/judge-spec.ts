/** The kinds of judging: each answer alone, or two answers in both orders. */
export const JUDGE_KINDS = ['rubric', 'pairwise'] as const;
export type JudgeKind = (typeof JUDGE_KINDS)[number];

/** The verdicts of a rubric: pass or fail, or a mark from 1 to 5. */
export type JudgeScale = 'pass_fail' | 5;

/** The stored questions of an experiment of judges. */
export interface JudgeSpec {
  /** The experiment whose answers are judged. */
  of: string;
  kind: JudgeKind;
  /** Empty once erased. */
  criterion: string;
  /** Null for pairs. */
  scale: JudgeScale | null;
  /** The models of `of`, in its order. */
  judged: string[];
  /** Of pairs: the model that every other is compared with; null for all pairs. */
  baseline: string | null;
  /** The number of judged rows, the first ones of `of`. */
  rows: number;
}

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

/** Rows that examine the judge itself, before all others: 5 decoys, and 3 answers against themselves. */
export const EXAM_ROWS = 8;
export const DECOYS = 5;

/** Among the scores of a judge, an answer without a readable verdict. */
export const UNREADABLE = -1;

/** The judged models of an item by their positions: one answer, or two. */
export type Item = readonly [number] | readonly [number, number];

/** The place of a row: a question of the examination, or an item of a judged row. */
export interface JudgePlace {
  /** From 0 to 7; undefined for an item. */
  exam: number | undefined;
  /** The row of the judged experiment. */
  row: number;
  item: Item;
  /** The number of the item among those of its row. */
  itemNo: number;
  /** True if the second model of the item is shown as answer 1. */
  isSwapped: boolean;
}

/** The items of each row: answers, or pairs. */
export function itemsOf({ kind, judged, baseline }: Pick<JudgeSpec, 'kind' | 'judged' | 'baseline'>): Item[] {
  const all = judged.map((_, index) => index);
  if (kind === 'rubric') return all.map((index) => [index]);
  const base = baseline === null ? undefined : judged.indexOf(baseline);
  return base === undefined
    ? all.flatMap((first) => all.slice(first + 1).map((second): Item => [first, second]))
    : all.filter((index) => index !== base).map((index): Item => [index, base]);
}

/** The number of rows of a judge experiment: its examination, and every item in every order. */
export function judgeRowCount(spec: JudgeSpec): number {
  return EXAM_ROWS + spec.rows * itemsOf(spec).length * ordersOf(spec);
}

/** The number of judged rows of which a judgment was begun, when `nextNo` rows were dealt. */
export function judgedRowsBegun(spec: JudgeSpec, nextNo: number): number {
  return Math.max(0, Math.ceil((nextNo - EXAM_ROWS) / (itemsOf(spec).length * ordersOf(spec))));
}

/** The place of a row of a judge experiment, by arithmetic. */
export function placeOf(spec: JudgeSpec, no: number): JudgePlace {
  const [items, orders] = [itemsOf(spec), ordersOf(spec)];
  if (no < EXAM_ROWS) {
    // A rubric is asked again about the answers of its first items; a pair is any answer beside another text.
    const isAgain = no >= DECOYS;
    const row = (isAgain ? no - DECOYS : no) % spec.rows;
    return { exam: no, row, item: items[0] ?? [0], itemNo: 0, isSwapped: no % 2 === 1 };
  }
  const nth = no - EXAM_ROWS;
  const itemNo = Math.floor(nth / orders) % items.length;
  return {
    exam: undefined,
    row: Math.floor(nth / (orders * items.length)),
    item: items[itemNo] ?? [0],
    itemNo,
    isSwapped: nth % orders === 1,
  };
}

function ordersOf({ kind }: Pick<JudgeSpec, 'kind'>): 1 | 2 {
  return kind === 'pairwise' ? 2 : 1;
}
