import { times } from '../../../../test/support/experiment-rows';
import { judgmentTask, scoresOf, type GivenTask } from '../../../../test/support/judgment-task';
import { mulberry32 } from '../../statistics/mulberry32';
import { summarizeJudgment } from './judgment';

const RUNS = 200;
/** Of 200 runs with a chance of 5 % each, 17 or fewer are false alarms with a probability of 98.9 %. */
const MOST_FALSE = 17;

/** The verdicts on one row, of two orders for a pair. */
type Row = (random: () => number, row: number) => number[];

/** The summaries of experiments in which a judge gives other verdicts each time. */
function* summaries(given: Omit<GivenTask, 'judges'>, seed: number, row: Row, runs = RUNS) {
  const random = mulberry32(seed);
  const task = judgmentTask({ ...given, judges: [] });
  for (let run = 0; run < runs; run++) {
    const scores = scoresOf({ items: times(given.rows, (no) => row(random, no)) });
    yield summarizeJudgment({ ...task, judges: [{ model: 'judge', vendor: 'neutral', scores }] });
  }
}

/** How many summaries call a pair of models different in what is judged. */
function different(found: Iterable<ReturnType<typeof summarizeJudgment>>): number {
  return [...found].filter(({ pairs, ranking }) =>
    pairs.some(({ metric, verdict }) => metric === ranking?.metric && verdict !== 'cannot_tell'),
  ).length;
}

/** A judge that says in each order with a probability of 80 % which answer is better: the first one if `isFirst`. */
function fair(random: () => number, isFirst: boolean): number[] {
  const right = Number(isFirst);
  return [random() < 0.8 ? right : 1 - right, random() < 0.8 ? 1 - right : right];
}

describe('A simulated judge', () => {
  test('that always takes answer 1 is found biased, and calls nothing better', () => {
    const found = [...summaries({ rows: 100 }, 1, (random) => (random() < 0.02 ? [0.5, 1] : [1, 1]))];
    expect(found.filter(({ judgment }) => judgment?.judges[0]?.position_biased)).toHaveLength(RUNS);
    expect(different(found)).toBe(0);
  });

  test('that takes the longer answer is found out, and a caution says it where one model writes longer', () => {
    const random = mulberry32(2);
    const lengths = [times(100, () => 300 + 200 * random()), times(100, () => 100 + 250 * random())];
    const takesLonger: Row = (_, row) => (Number(lengths[0]?.[row]) > Number(lengths[1]?.[row]) ? [1, 0] : [0, 1]);
    const [found] = summaries({ rows: 100, lengths }, 2, takesLonger, 1);
    expect(found?.judgment?.judges[0]?.longer_won?.rate).toBeGreaterThanOrEqual(0.95);
    expect(found?.judgment?.judges[0]?.position_biased).toBe(false);
    expect(found?.judgment?.cautions).toContain(
      'The longer answer won 100.0 % of the time, and too few are equally long to say if that is why a leads.',
    );
  });

  test('that is right in 80 % calls equal models different in at most 5 % of experiments', () => {
    const half: Row = (random) => fair(random, random() < 0.5);
    expect(different(summaries({ rows: 100 }, 3, half))).toBeLessThanOrEqual(MOST_FALSE);
    const rubric: Row = (random) => [fair(random, random() < 0.7)[0] ?? 0, fair(random, random() < 0.7)[0] ?? 0];
    expect(different(summaries({ rows: 100, spec: { kind: 'rubric' } }, 4, rubric))).toBeLessThanOrEqual(MOST_FALSE);
  });

  test('that is right in 80 % finds a model that is better in 65 % of 300 rows', () => {
    const better: Row = (random) => fair(random, random() < 0.65);
    expect(different(summaries({ rows: 300 }, 5, better, 100))).toBeGreaterThanOrEqual(80);
  });

  test('calls equal models different no more often where rows come in groups that are alike', () => {
    const group = (row: number) => `group ${row % 30}`;
    let isFirst: boolean[] = [];
    const alike: Row = (random, row) => {
      if (row === 0) isFirst = times(30, () => random() < 0.5);
      return fair(random, isFirst[row % 30] ?? false);
    };
    expect(different(summaries({ rows: 120, group }, 6, alike))).toBeLessThanOrEqual(MOST_FALSE);
    // Without groups, the same verdicts are called different too often.
    expect(different(summaries({ rows: 120 }, 6, alike))).toBeGreaterThan(2 * MOST_FALSE);
  });
});
