import { recommend } from '../../../src/modules/experiments/summary/recommendation';
import { summarize } from '../../../src/modules/experiments/summary/summary';
import type { FiguresRow } from '../../../src/modules/experiments/summary/summary-input';
import type { ExperimentFiguresDto } from '../../../src/modules/experiments/summary/summary.dto';
import { mulberry32 } from '../../../src/modules/statistics/mulberry32';
import { columnsOf, rowOf, times } from '../../support/experiment-rows';

/** Experiments that are drawn at random, from a fixed seed so that each run draws the same. */
interface Simulated {
  rows: number;
  models: readonly string[];
  samples: number;
  /** Rows of a group share a part of their difficulty. */
  groupSize: number;
  /** How good each model is, as log odds. */
  skills: readonly number[];
}

const FOUR = ['a', 'b', 'c', 'd'];

/** A standard normal number. */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(random() + 2 ** -33)) * Math.cos(2 * Math.PI * random());
}

/**
 * Rows with an effect on all models, an effect of the group, and an effect of the row on each single model, all with a
 * standard deviation of 1.
 */
function draw({ rows, models, samples, groupSize, skills }: Simulated, random: () => number): FiguresRow[] {
  let ofGroup = models.map(() => 0);
  return times(rows, (row) => {
    if (row % groupSize === 0) ofGroup = models.map(() => (groupSize > 1 ? normal(random) : 0));
    const ofRow = normal(random);
    const figures = models.map((_, model) => {
      const chance = 1 / (1 + Math.exp(-(skills[model] ?? 0) - ofRow - (ofGroup[model] ?? 0) - normal(random)));
      const passed = times(samples, () => Number(random() < chance)).reduce((sum, one) => sum + one, 0);
      return { answered: samples, decided: samples, passed, score: passed / samples, modal: samples };
    });
    return rowOf(figures, groupSize > 1 ? `g${Math.floor(row / groupSize)}` : null);
  });
}

function summaryOf(
  rows: readonly FiguresRow[],
  { models, samples }: Pick<Simulated, 'models' | 'samples'>,
  experimentId: string,
  isFinal = true,
): ExperimentFiguresDto {
  return summarize({
    experimentId,
    columns: columnsOf(rows, { models, samples }),
    isFinal,
    rowCountOfDataset: rows.length,
    temperature: 0,
  });
}

const callOf = (cost: number, isPassed: boolean) => ({ cost, passed: Number(isPassed), score: Number(isPassed) });

const isAnyBetter = ({ pairs }: ExperimentFiguresDto) =>
  pairs.some(({ metric, verdict }) => metric === 'passed' && verdict !== 'cannot_tell');

describe('The statistics of simulated experiments', () => {
  it('find a difference between equal models in at most 7 % of 1,000', () => {
    const simulated: Simulated = { rows: 40, models: FOUR, samples: 3, groupSize: 4, skills: [0, 0, 0, 0] };
    const random = mulberry32(20_261_126);
    const found = times(1000, (index) =>
      isAnyBetter(summaryOf(draw(simulated, random), simulated, `exp_${index}`)),
    ).filter(Boolean).length;
    process.stderr.write(`equal models: ${found} of 1,000 experiments show a difference\n`);
    expect(found).toBeLessThanOrEqual(70);
  });

  it('have intervals in clusters that contain the true difference in 92 to 97 %', () => {
    const simulated: Simulated = { rows: 120, models: ['a', 'b'], samples: 2, groupSize: 4, skills: [0.6, 0] };
    const random = mulberry32(7);
    const summaries = times(500, (index) => summaryOf(draw(simulated, random), simulated, `exp_${index}`, false));
    const differences = summaries.map(({ pairs }) => pairs[0]?.difference ?? NaN);
    // The mean of 500 experiments is the true difference to 0.4 points, where an interval reaches 10.
    const truth = differences.reduce((sum, difference) => sum + difference, 0) / differences.length;
    const covered = summaries.filter(
      ({ pairs }) => (pairs[0]?.ci?.[0] ?? NaN) <= truth && truth <= (pairs[0]?.ci?.[1] ?? NaN),
    ).length;
    const rates = summaries.map(({ models }) => models[0]?.passed);
    const rate = rates.reduce((sum, passed) => sum + (passed?.rate ?? NaN), 0) / rates.length;
    const coveredRates = rates.filter(
      (passed) => (passed?.ci?.[0] ?? NaN) <= rate && rate <= (passed?.ci?.[1] ?? NaN),
    ).length;
    process.stderr.write(
      `clusters: ${covered / 5} % of the intervals contain the difference, ${coveredRates / 5} % the rate\n`,
    );
    for (const share of [covered / 500, coveredRates / 500]) {
      expect(share).toBeGreaterThanOrEqual(0.92);
      expect(share).toBeLessThanOrEqual(0.97);
    }
  });

  it('rank each model in a range that contains its true place in at least 95 %', () => {
    const simulated: Simulated = { rows: 60, models: FOUR, samples: 1, groupSize: 1, skills: [0.9, 0.6, 0.3, 0] };
    const random = mulberry32(11);
    const contained = times(300, (index) => {
      const ranking = summaryOf(draw(simulated, random), simulated, `exp_${index}`).ranking?.models ?? [];
      return FOUR.every((model, place) =>
        ranking.some(({ model: name, rank }) => name === model && rank.best <= place + 1 && place + 1 <= rank.worst),
      );
    }).filter(Boolean).length;
    process.stderr.write(`rank ranges: ${contained} of 300 experiments have every true place\n`);
    expect(contained).toBeGreaterThanOrEqual(285);
  });

  it('do not call a model better more often because somebody looks 100 times', () => {
    const simulated: Simulated = { rows: 100, models: ['a', 'b'], samples: 1, groupSize: 1, skills: [0, 0] };
    const random = mulberry32(5);
    const looks = times(20, (index) => {
      const rows = draw(simulated, random);
      const interim = times(99, (count) => summaryOf(rows.slice(0, count + 1), simulated, `exp_${index}`, false));
      expect(
        interim
          .flatMap(({ pairs }) => pairs.map(({ p_value, p_adjusted, verdict }) => p_value ?? p_adjusted ?? verdict))
          .filter((value) => value !== null),
      ).toEqual([]);
      return isAnyBetter(summaryOf(rows, simulated, `exp_${index}`));
    });
    process.stderr.write(
      `equal models polled 100 times: ${looks.filter(Boolean).length} of 20 experiments call one better\n`,
    );
    expect(looks.filter(Boolean).length).toBeLessThanOrEqual(2);
  });

  it('recommend a cheaper model as not worse in at most 4 % where it is worse by the tolerance', () => {
    const random = mulberry32(37);
    /** Of 400 experiments of 1,000 rows: how often the cheaper one is called not worse, and how often the best. */
    const takenAt = (lost: number, gained: number) => {
      const taken = times(400, (index) => {
        const rows = times(1000, () => {
          const drawn = random();
          return rowOf([callOf(0.01, drawn >= gained), callOf(0.001, drawn < gained || drawn >= gained + lost)]);
        });
        const summary = summaryOf(rows, { models: ['a', 'b'], samples: 1 }, `exp_${index}`);
        const { model, basis } = recommend(summary, 0.02) ?? {};
        return model === 'b' ? basis : 'other';
      });
      return ['not_worse', 'best'].map((wanted) => taken.filter((basis) => basis === wanted).length / 400);
    };
    const [atTolerance, equal] = [takenAt(0.03, 0.01), takenAt(0.02, 0.02)];
    process.stderr.write(
      `cheaper and worse by the tolerance: not worse and best in ${String(atTolerance)}; as good: ${String(equal)}\n`,
    );
    expect(atTolerance[0]).toBeLessThanOrEqual(0.04);
    expect(atTolerance[1]).toBeLessThanOrEqual(0.005);
    expect((equal[0] ?? 0) + (equal[1] ?? 0)).toBeGreaterThan(0.8);
  });
});
