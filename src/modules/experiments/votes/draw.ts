import { mulberry32, seedOf } from '../../statistics/mulberry32';
import type { Experiment } from '../experiment.entity';
import { itemsOf, type JudgeSpec } from '../judge/judge-spec';
import type { ExperimentFiguresDto } from '../summary/summary.dto';
import type { ExperimentVote } from './experiment-vote.entity';

const RANDOM_ITEMS = 100;
/** The greatest difference of two rates or marks. */
const WIDEST = 2;

type Drawn = Pick<ExperimentVote, 'rowNo' | 'itemNo' | 'isRandom'>;

/** All items, the same for every voter: 100 at random, and then those of which the summary or votes know least. */
export function* drawnItems(
  { id, summary }: Pick<Experiment, 'id' | 'summary'>,
  judge: JudgeSpec,
  votes: ReadonlyMap<number, number>,
): Generator<Drawn> {
  const items = itemsOf(judge).map((item) => item.map((index) => judge.judged[index] ?? ''));
  const random = randomNumbers(id, judge.rows * items.length);
  for (const item of random)
    yield { rowNo: Math.floor(item / items.length), itemNo: item % items.length, isRandom: true };
  const isDrawn = new Set(random);
  const doubts = items.map((models, no) => (summary === null ? -(votes.get(no) ?? 0) : widthOf(models, summary)));
  for (const itemNo of [...items.keys()].sort((left, right) => (doubts[right] ?? 0) - (doubts[left] ?? 0)))
    for (let rowNo = 0; rowNo < judge.rows; rowNo += 1)
      if (!isDrawn.has(rowNo * items.length + itemNo)) yield { rowNo, itemNo, isRandom: false };
}

/** A Fisher–Yates shuffle of the numbers below `total` that stops early, with the moved ones only. */
function randomNumbers(experimentId: string, total: number): number[] {
  const random = mulberry32(seedOf(`votes on ${experimentId}`));
  const moved = new Map<number, number>();
  return Array.from({ length: Math.min(RANDOM_ITEMS, total) }, (_, place) => {
    const other = place + Math.floor(random() * (total - place));
    const drawn = moved.get(other) ?? other;
    moved.set(other, moved.get(place) ?? place);
    return drawn;
  });
}

function widthOf(item: string[], { models = [], pairs = [] }: Partial<ExperimentFiguresDto>): number {
  const model = models.find((one) => one.model === item[0]);
  const pair = pairs.find((one) => /^(passed|score)$/.test(one.metric) && item.every((id) => one.models.includes(id)));
  const ci = item.length === 1 ? (model?.passed ?? model?.score)?.ci : pair?.ci;
  return ci ? ci[1] - ci[0] : WIDEST;
}
