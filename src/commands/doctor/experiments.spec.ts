import { judgeExperiments } from './experiments';

const COUNTS = { running: 1, paused: 0, erasing: 0, rowsWaiting: 5, silentSeconds: 0 };

test.each([
  [0, 'ok'],
  [1800, 'ok'],
  [1801, 'warning'],
])('experiments of which no row was dealt for %d s are judged %s', (silentSeconds, status) => {
  expect(judgeExperiments({ ...COUNTS, silentSeconds })).toMatchObject({ status });
});
