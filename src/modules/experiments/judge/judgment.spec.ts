import { times } from '../../../../test/support/experiment-rows';
import {
  FIRST,
  judgmentTask,
  LOST,
  SOUND_PAIRS,
  TIED,
  voteOf,
  WON,
  type GivenJudge,
  type GivenTask,
} from '../../../../test/support/judgment-task';
import type { CountedVote, Winner } from './judge-spec';
import { recommend } from '../summary/recommendation';
import { summarizeJudgment } from './judgment';

const near = (value: number): number => expect.closeTo(value, 5) as number;
const summaryOf = (given: GivenTask) => summarizeJudgment(judgmentTask(given));
const cautionsOf = (given: GivenTask) => summaryOf(given).judgment?.cautions;

/** Of 60 pairs, a wins the first 40, and 10 of the others. */
const SIXTY = [...times(40, () => WON), ...times(10, () => WON), ...times(10, () => LOST)];
const GULLIBLE = [1, 0, 0, 1, 0, 0.5, 0.5, 0.5];
const judge = (items: GivenJudge['items'], exam = SOUND_PAIRS, model = 'judge'): GivenJudge => ({ items, exam, model });
/** The lengths of a and b, which are 100 and 50 in the first rows and then equal. */
const longer = (rows: number, of = 60) => [times(of, () => 100), times(of, (row) => (row < rows ? 50 : 91))];
/** Votes of one person on the first rows. */
const votesFor = (winners: readonly Winner[], vote: Partial<CountedVote> = {}) =>
  winners.map((winner, row) => voteOf(row, winner, vote));

const NOT_CHECKED = 'No person has checked these verdicts: 20 votes on the page do.';
const TOO_FEW = 'Too few votes have checked these verdicts: 20 votes on the page do.';
const LONGER = 'The longer answer won 83.3 % of the time, and too few are equally long to say if that is why a leads.';

describe('The summary of an experiment of judges', () => {
  test('has the figures of the judged models by the verdicts, and says what they are worth', () => {
    const summary = summaryOf({ rows: 60, judges: [judge(SIXTY)] });
    expect(summary).toMatchObject({
      rows: 60,
      coverage: 1,
      ranking: { metric: 'score', models: [{ model: 'a' }, { model: 'b' }] },
      models: [
        { model: 'a', passed: null, score: { mean: 0.833333 } },
        { model: 'b', score: { mean: 0.166667 } },
      ],
      judgment: {
        of: 'exp_1',
        kind: 'pairwise',
        cautions: [NOT_CHECKED],
        win_rates: [
          { model: 'a', rate: near(50.5 / 61) },
          { model: 'b', rate: near(10.5 / 61) },
        ],
        without_own_vendor: null,
        judges: [{ model: 'judge', verdicts: 128, gullible: false }],
        people: null,
      },
      warnings: [],
    });
    // The difference is that of wins and losses.
    expect(summary.pairs[0]).toMatchObject({ metric: 'score', difference: 0.666667, verdict: 'better' });
    expect(summary.headline).toMatch(
      /^a is better than b by 66\.7 points \(.+\) on 60 rows, for rows like these\. No person/,
    );
  });

  test('compares two models by their own pairs, whatever each is worth beside a third', () => {
    // Of three models, each always beats the next one, and so wins half of its pairs.
    const items = times(30, () => [...WON, ...LOST, ...WON]);
    const { models, pairs } = summaryOf({ rows: 30, judges: [judge(items)], spec: { judged: ['a', 'b', 'c'] } });
    expect(models.map(({ score }) => score?.mean)).toEqual([0.5, 0.5, 0.5]);
    expect(pairs.slice(0, 3).map(({ difference }) => difference)).toEqual([1, -1, 1]);
  });

  test('of a rubric counts passes, and has no win rates', () => {
    const items = times(60, (row) => [1, Number(row < 20)]);
    const summary = summaryOf({ rows: 60, judges: [{ items }], spec: { kind: 'rubric' } });
    expect(summary).toMatchObject({
      ranking: { metric: 'passed', models: [{ model: 'a' }, { model: 'b' }] },
      models: [{ passed: { rate: 1 } }, { passed: { rate: 0.333333 } }],
      judgment: { kind: 'rubric', win_rates: [], judges: [{ rates: [{ model: 'a', rate: 1 }, { model: 'b' }] }] },
    });
    const marks = summaryOf({ rows: 60, judges: [{ items }], spec: { kind: 'rubric', scale: 5 } });
    expect(marks).toMatchObject({ ranking: { metric: 'score' }, models: [{ passed: null, score: { mean: 1 } }, {}] });
  });

  test('has the rates without judges of the vendors of judged models, where there are others', () => {
    const judges = [
      { ...judge(times(4, () => WON)), vendor: 'x' },
      { ...judge(times(4, () => LOST)), vendor: 'y' },
    ];
    const without = (vendors: string[]) => summaryOf({ rows: 4, judges, vendors }).judgment?.without_own_vendor;
    expect(without(['x', 'z'])).toMatchObject([{ model: 'b', rate: 0.9 }, { model: 'a', rate: 0.1 }]); // prettier-ignore
    expect([without(['z', 'z']), without(['x', 'y'])]).toEqual([null, null]);
  });

  test('names the answers of which judges read only a part', () => {
    const lengths = [[24_000, 24_001, NaN, 1], [30_000, 1, 1, 1]]; // prettier-ignore
    expect(summaryOf({ rows: 4, judges: [judge(times(4, () => TIED))], lengths }).warnings).toContain(
      'Judges read only the first 24,000 characters of 2 answers.',
    );
  });
});

describe('The cautions about judges', () => {
  const biased = judge([...SIXTY.slice(0, 48), ...times(12, () => FIRST)], SOUND_PAIRS, 'biased');
  const gullible = judge(SIXTY, GULLIBLE, 'gullible');
  const voters = [...votesFor(['1']), voteOf(0, '2', { voter: 'key 2' })];

  test('come in the order of their weight, the first one in the headline', () => {
    const given = { rows: 60, judges: [biased, gullible], lengths: longer(41), votes: voters };
    const [first, second, third, fourth, fifth, ...others] = cautionsOf(given) ?? [];
    expect(first).toBe('gullible cannot be believed: it passed 2 of 5 decoys.');
    expect(second).toMatch(/^biased judges by position: answer 1 won 60\.0 % of its decided verdicts\.$/);
    expect([third, fifth, ...others]).toEqual([TOO_FEW, 'Two voters are not a panel.']);
    expect(fourth).toMatch(/^The longer answer won \d+\.\d % of the time, and too few are equally long/);
    expect(summaryOf(given).headline).toMatch(/ gullible cannot be believed: it passed 2 of 5 decoys\.$/);
    expect(cautionsOf({ ...given, isFinal: false })).toEqual([]);
  });

  test('say in place of a missing check that a judge hardly agrees with people', () => {
    // All verdicts on the first rows are for a.
    const votes = votesFor([...times(10, () => '1' as const), ...times(10, () => '2' as const)]);
    const given = { rows: 60, judges: [gullible, biased], lengths: longer(41), votes };
    expect(cautionsOf(given)).toEqual([
      expect.stringContaining('gullible cannot be believed'),
      expect.stringContaining('biased judges by position'),
      'gullible hardly agrees with people: kappa is 0.00 on 20 votes.',
      'biased hardly agrees with people: kappa is 0.00 on 20 votes.',
      expect.stringContaining('The longer answer won'),
      'One voter is not a panel.',
    ]);
  });

  test('are silent on agreement from a kappa of 0.4 on, and ask for votes below 20', () => {
    const items = [...times(10, () => WON), ...times(10, () => LOST)];
    // Of 10 wins and 10 losses, as many votes each are for the other one: kappa is 1 - 4 / 20 × that number.
    const withOthers = (others: number, count = 20) => {
      const winners = items.map((pair, row): Winner => ((pair === WON) === row % 10 >= others ? '1' : '2'));
      const votes = ['key 1', 'key 2', 'key 3'].flatMap((voter) => votesFor(winners.slice(0, count), { voter }));
      return cautionsOf({ rows: 20, judges: [judge(items)], votes });
    };
    expect(withOthers(3)).toEqual([]);
    expect(withOthers(4)).toEqual(['judge hardly agrees with people: kappa is 0.20 on 20 votes.']);
    expect(withOthers(4, 19)).toEqual([TOO_FEW]);
    const same = { rows: 20, judges: [judge(times(20, () => WON))], votes: votesFor(times(20, () => '1')) };
    expect(cautionsOf(same)?.[0]).toBe('judge hardly agrees with people: kappa is unknown on 20 votes.');
  });

  test('say by how much the best model leads where answers are equally long, if by less', () => {
    const given = { rows: 60, judges: [judge(SIXTY)] };
    // In the last 20 rows, both win 10.
    const shorter = 'Where answers are equally long, a leads by 0.0 points, not by 66.7.';
    expect(cautionsOf({ ...given, lengths: longer(40) })).toEqual([NOT_CHECKED, shorter]);
    // With the names turned, b is the best one although it comes second: it wins 40 rows, and 12 of the last 20.
    const turned = [...times(52, () => LOST), ...times(8, () => WON)];
    expect(cautionsOf({ rows: 60, judges: [judge(turned)], lengths: longer(40).toReversed() })).toEqual([
      NOT_CHECKED,
      'Where answers are equally long, b leads by 20.0 points, not by 73.3.',
    ]);
    const rubric = SIXTY.map(([first = 0]) => [first, 1 - first]);
    expect(
      cautionsOf({ rows: 60, judges: [{ items: rubric }], spec: { kind: 'rubric' }, lengths: longer(40) }),
    ).toEqual([NOT_CHECKED, shorter]);
    // With fewer than 20 such rows, only the judge's taste for length is known; a difference of 10 % is none.
    expect(cautionsOf({ ...given, lengths: longer(41) })?.[1]).toMatch(
      /^The longer answer won .+ if that is why a leads\.$/,
    );
    expect(cautionsOf({ ...given, lengths: [times(60, () => 100), times(60, () => 89)] })).toEqual([
      NOT_CHECKED,
      LONGER,
    ]);
  });

  test('do not speak of length where the lead stays, where there is none, and where the shorter answer wins', () => {
    const won = [...times(25, () => WON), ...times(5, () => LOST)];
    const stays = { rows: 60, judges: [judge([...won, ...won])], lengths: longer(30) };
    expect(cautionsOf(stays)).toEqual([NOT_CHECKED]);
    const tied = { rows: 60, judges: [judge([...won, ...won.map((pair) => pair.toReversed())])], lengths: longer(30) };
    expect(cautionsOf(tied)).toEqual([NOT_CHECKED]);
    expect(cautionsOf({ ...stays, lengths: longer(60).toReversed() })).toEqual([NOT_CHECKED]);
  });
});

describe('The recommendation by judges', () => {
  const recommended = (...judges: GivenJudge[]) => recommend(summaryOf({ rows: 60, judges }), 0.02);

  test('names them', () => {
    const words = /^Take a: on these rows no other scores higher, .+\. These are the verdicts of one and two\.$/;
    expect(recommended(judge(SIXTY, SOUND_PAIRS, 'one'), judge(SIXTY, SOUND_PAIRS, 'two'))).toMatchObject({
      model: 'a',
      words: expect.stringMatching(words),
    });
  });

  test.each([
    ['passed a decoy', judge(SIXTY, GULLIBLE, 'unfit')],
    ['judges by position', judge([...SIXTY.slice(0, 40), ...times(20, () => FIRST)], SOUND_PAIRS, 'unfit')],
  ])('is none where one of them %s', (why, unfit) => {
    expect(recommended(judge(SIXTY), unfit)).toMatchObject({
      model: null,
      words: `No model is recommended: unfit ${why}, so its verdicts decide nothing.`,
    });
  });
});
