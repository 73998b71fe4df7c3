import type { JudgeSpec, CountedVote, Winner } from '../../src/modules/experiments/judge/judge-spec';
import type { JudgmentTask } from '../../src/modules/experiments/judge/judgment-task';
import { columnsOf, PASSED, rowOf, times } from './experiment-rows';

/** The scores of a judge of pairs, and of one of a rubric, that rejects every decoy and calls equal what is equal. */
export const SOUND_PAIRS = [0, 1, 0, 1, 0, 0.5, 0.5, 0.5];
const SOUND_RUBRIC = [0, 0, 0, 0, 0, NaN, NaN, NaN];

/** Both orders of a pair: the first model wins, the second one does, none does, and answer 1 or 2 wins twice. */
export const WON = [1, 0];
export const LOST = [0, 1];
export const TIED = [0.5, 0.5];
export const FIRST = [1, 1];
export const LAST = [0, 0];

/** A judge with the scores of its items, row by row. */
export interface GivenJudge {
  items: readonly (number | readonly number[])[];
  exam?: readonly number[];
  model?: string;
  vendor?: string;
}

/** The parts of a task that a test chooses. Rows have no group. Lengths are by model, 100 by default. */
export interface GivenTask {
  rows: number;
  judges: readonly GivenJudge[];
  spec?: Partial<JudgeSpec>;
  vendors?: readonly string[];
  lengths?: readonly (readonly number[])[];
  votes?: readonly CountedVote[];
  isFinal?: boolean;
  group?: (row: number) => string | null;
}

/** The questions to judges of pairs of models a and b. */
export function judgeSpec(spec: Partial<JudgeSpec> = {}): JudgeSpec {
  const isRubric = spec.kind === 'rubric';
  return {
    of: 'exp_1',
    kind: 'pairwise',
    criterion: 'It is right.',
    scale: isRubric ? 'pass_fail' : null,
    judged: ['a', 'b'],
    baseline: null,
    rows: 4,
    ...spec,
  };
}

/** The scores of a judge by the number of the row: of its examination, and of the items. */
export function scoresOf({ exam = SOUND_PAIRS, items }: Pick<GivenJudge, 'exam' | 'items'>): Float64Array {
  return Float64Array.from([...exam, ...items.flat()]);
}

/** The task of summarizing an experiment of judges. */
export function judgmentTask({ rows, judges, ...given }: GivenTask): JudgmentTask {
  const spec = judgeSpec({ rows, ...given.spec });
  const { judged: models } = spec;
  const exam = spec.kind === 'rubric' ? SOUND_RUBRIC : SOUND_PAIRS;
  const ended = times(rows, (row) =>
    rowOf(
      models.map(() => PASSED),
      given.group?.(row) ?? null,
    ),
  );
  return {
    spec,
    experimentId: 'exp_2',
    columns: columnsOf(ended, { models }),
    isFinal: given.isFinal ?? true,
    rowCountOfDataset: rows,
    temperature: 0,
    vendors: given.vendors ?? models.map(() => 'judged'),
    judges: judges.map(({ model = 'judge', vendor = 'neutral', ...judge }) => ({
      ...{ model, vendor },
      scores: scoresOf({ exam, ...judge }),
    })),
    lengths: (given.lengths ?? models.map(() => times(rows, () => 100))).map((column) => Float64Array.from(column)),
    votes: given.votes ?? [],
  };
}

/** A vote on the first item of a row, which was drawn at random. */
export function voteOf(rowNo: number, winner: Winner, vote: Partial<CountedVote> = {}): CountedVote {
  return { rowNo, itemNo: 0, voter: 'key 1', winner, isRandom: true, ...vote };
}
