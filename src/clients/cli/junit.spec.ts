import type { ExperimentRow } from '../client/client';
import { junitOf } from './junit';

const answer = (passed: boolean | null, more: Partial<ExperimentRow['results'][number]> = {}) => ({
  model: 'a',
  output: 'Lyon',
  passed,
  score: null,
  latency_ms: 1500,
  cost_usd: '0',
  ...more,
});
const row = (results: ExperimentRow['results'], more: Partial<ExperimentRow> = {}): ExperimentRow => ({
  row_no: 0,
  row_id: 'r1',
  attempt: 1,
  state: 'done',
  eval_id: 'eval_1',
  input: 'x',
  expected: null,
  cost_usd: '0',
  results,
  ...more,
});

async function* listed(...rows: ExperimentRow[]): AsyncGenerator<ExperimentRow> {
  yield* rows;
}

const caseOf = async (each: ExperimentRow) => (await junitOf('n', ['a'], listed(each))).split('\n')[3];

describe('JUnit XML of an experiment', () => {
  it('has a suite for each model and a test case for each row', async () => {
    expect(await junitOf('capitals', ['a', 'b'], listed(row([answer(true), answer(false, { model: 'b' })]))))
      .toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="capitals">
<testsuite name="a" tests="1" failures="0" errors="0" skipped="0">
<testcase classname="a" name="r1" time="1.500"></testcase>
</testsuite>
<testsuite name="b" tests="1" failures="1" errors="0" skipped="0">
<testcase classname="b" name="r1" time="1.500"><failure message="1 of 1 answers failed a check.">Lyon</failure></testcase>
</testsuite>
</testsuites>
`);
  });

  const FAULT = { code: 'timeout', message: 'Too slow.', retryable: true } as const;
  it.each<[string, ExperimentRow]>([
    [
      '<failure message="1 of 3 answers failed a check.">Lyon</failure>',
      row([answer(true), answer(false), answer(null, { error: FAULT })]),
    ],
    ['<error message="Too slow. (timeout)"></error>', row([answer(true), answer(null, { error: FAULT })])],
    ['<error message="Too slow. (timeout)"></error>', row([], { state: 'failed', error: FAULT })],
    [
      '<error message="Too slow. (timeout)"></error>',
      row([], {
        state: 'failed',
        error: {
          code: 'all_models_failed',
          message: 'All.',
          details: {
            models: [
              { model: 'b', error: {} },
              { model: 'a', error: FAULT },
            ],
          },
        },
      }),
    ],
    ['<skipped message="There is no answer."></skipped>', row([])],
    ['<skipped message="No check decided."></skipped>', row([answer(true), answer(null)])],
  ])('says %s', async (xml, each) => {
    expect(await caseOf(each)).toContain(xml);
  });

  it('lets no text of a row out of its place', async () => {
    const hostile = '</failure>&"<x>\u0000\u001b[2J\ud800\ufffe\n]]>';
    const xml = await caseOf(row([answer(false, { output: hostile })], { row_id: '"><&' }));
    expect(xml).toBe(
      '<testcase classname="a" name="&quot;&gt;&lt;&amp;" time="1.500"><failure message="1 of 1 answers failed a check.">&lt;/failure&gt;&amp;&quot;&lt;x&gt;\ufffd\ufffd[2J\ufffd\ufffd&#10;]]&gt;</failure></testcase>',
    );
    expect((await caseOf(row([answer(false, { output: '&'.repeat(100_000) })])))?.length).toBeLessThan(11_000);
  });
});
