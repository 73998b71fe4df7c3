import type { ExperimentRow } from '../../client/client';
import {
  byPlace,
  experimentTitle,
  isDiffering,
  openRowsText,
  outcomesOf,
  placeText,
  experimentStateText,
  timeLeftText,
} from './words';

const result = (model: string, passed: boolean | null, isFailed = false) => ({
  model,
  output: '',
  passed,
  score: null,
  latency_ms: 1,
  cost_usd: '0',
  ...(isFailed && { error: { code: 'unavailable', message: 'x' } }),
});
const row = (...results: ReturnType<typeof result>[]) => ({ results }) as unknown as ExperimentRow;

it.each([
  ['running', null, 'running'],
  ['paused', 'cap_reached', 'paused: the cap is reached'],
  ['erasing', null, 'being erased'],
] as const)('experimentStateText of %s, %s is %s', (state, reason, text) =>
  expect(experimentStateText({ state, reason })).toBe(text),
);

it.each([
  [null, 'not known yet'],
  [12, 'about 12 s'],
  [61, 'about 2 min'],
  [3600, 'about 1 h 0 min'],
  [7199, 'about 2 h 0 min'],
])('timeLeftText of %s is %s', (seconds, text) => expect(timeLeftText(seconds)).toBe(text));

it('openRowsText leaves out what is 0', () =>
  expect(openRowsText({ total: 1300, done: 10, failed: 2, running: 8, waiting: 0 })).toBe(
    '2 failed, 8 running, 1,280 to come',
  ));

it('placeText has a range only where there is one', () =>
  expect([placeText({ best: 1, worst: 1 }), placeText({ best: 1, worst: 3 })]).toEqual(['place 1', 'place 1 to 3']));

it('outcomesOf separates passed, mixed, undecided and missing', () => {
  const outcomes = outcomesOf(
    row(
      result('a', true),
      result('a', false),
      result('b', null),
      result('c', null, true),
      result('d', true),
      result('e', false),
    ),
  );
  expect(outcomes.map(({ model, kind, text }) => [model, kind, text])).toEqual([
    ['a', 'mixed', '1 of 2 passed'],
    ['b', 'undecided', 'answered'],
    ['c', 'missing', 'no answer'],
    ['d', 'passed', 'passed'],
    ['e', 'failed', 'not passed'],
  ]);
});

it('isDiffering leaves out what is missing', () => {
  expect(isDiffering(row(result('a', true), result('b', false)))).toBe(true);
  expect(isDiffering(row(result('a', true), result('b', true)))).toBe(false);
  expect(isDiffering(row(result('a', true), result('b', null, true)))).toBe(false);
});

it('byPlace orders by places, and changes nothing without them', () => {
  const ranking = {
    metric: 'passed' as const,
    models: ['b', 'c', 'a'].map((model) => ({ model, rank: { best: 1, worst: 3 } })),
  };
  const order = (models: string[], places: typeof ranking | null | undefined) =>
    byPlace(models, places, (model) => model).join('');
  expect([
    order(['a', 'b', 'c'], ranking),
    order(['c', 'a'], ranking),
    order(['x', 'a', 'b'], ranking),
    order(['c', 'a', 'b'], null),
    order(['c', 'a', 'b'], undefined),
  ]).toEqual(['bca', 'ca', 'bax', 'cab', 'cab']);
});

it('experimentTitle says what it is where it has no name', () =>
  expect([
    experimentTitle({ name: 'Tickets', models: ['a'] }),
    experimentTitle({ name: null, models: ['a', 'b'] }),
    experimentTitle({ name: null, models: ['c'], judge: { judged: ['a', 'b'] } }),
  ]).toEqual(['Tickets', 'Experiment with a, b', 'a, b, judged by c']));
