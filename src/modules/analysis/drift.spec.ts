import type { Check } from '../checks/types';
import type { Verdict } from '../checks/verdict';
import { Money } from '../../common/money';
import { changedRequest, commonChecks, compareFigures } from './drift';
import { testDrift } from './drift-significance';
import { Eval } from '../evals/eval.entity';
import { Result } from '../evals/result.entity';

const RATES = { input: '1', cachedInput: '1', cacheWrite: '1', output: '2' };
const FREE = { input: '0', cachedInput: '0', cacheWrite: '0', output: '0' };
const DETAILS = {
  vendorModel: 'v1',
  applied: { max_tokens: 500, temperature: 0.7 },
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  rates: RATES,
};

function answer(changes: object = {}, details: object = {}): Result {
  return Object.assign(new Result(), {
    model: 'm',
    output: 'x',
    latencyMs: 100,
    cost: Money.of('0.001'),
    inputTokens: 200,
    outputTokens: 400,
    error: null,
    checks: null,
    details: { ...DETAILS, ...details },
    ...changes,
  });
}

const FAILED = { error: { code: 'timeout', message: '', retryable: true }, output: '' };
const failed = () => answer({ ...FAILED, cost: Money.zero, inputTokens: 0, outputTokens: 0 }, { rates: null });
const verdict = (name: string, outcome: Verdict['outcome']): Verdict => ({
  name,
  type: 'finished',
  outcome,
  score: null,
});
const check = (name: string, more: object = {}): Check => ({ type: 'finished', name, weight: 1, not: false, ...more });
const times = <T>(count: number, of: (index: number) => T) => Array.from({ length: count }, (_, index) => of(index));

describe('The figures of two evals', () => {
  test('are medians and means of the answers, and their changes', () => {
    const before = [answer({ latencyMs: 100 }), answer({ latencyMs: 300, outputTokens: 401 }), failed()];
    const after = [answer({ latencyMs: 150, cost: Money.of('0.002'), inputTokens: 203 })];
    expect(compareFigures({ before, after }, [])).toMatchObject({
      answered: { before: 2, after: 1 },
      latencyMs: { before: 200, after: 150, change: -50 },
      inputTokens: { before: 200, after: 203, change: 3 },
      outputTokens: { before: 400.5, after: 400, change: -0.5 },
      checks: null,
    });
    const { cost } = compareFigures({ before, after }, []);
    expect(JSON.stringify(cost)).toBe('{"before":0.001,"after":0.002,"change":0.001}');
  });

  test('are null where a model did not answer', () => {
    const { latencyMs, cost, prices, costChange } = compareFigures({ before: [answer()], after: [failed()] }, []);
    expect(latencyMs).toEqual({ before: 100, after: null, change: null });
    expect([cost.after, cost.change, costChange]).toEqual([null, null, null]);
    expect(prices).toEqual({ before: RATES, after: null, changed: true });
  });

  test('say whether the cost changed by tokens or by price, and both add up', () => {
    const before = [answer({ cost: Money.of('0.001') })];
    const after = [
      answer(
        { cost: Money.of('0.0036'), inputTokens: 600, outputTokens: 600 },
        { rates: { ...RATES, input: '2', cachedInput: '2', cacheWrite: '2', output: '4' } },
      ),
    ];
    const { cost, costChange } = compareFigures({ before, after }, []);
    expect(JSON.stringify(costChange)).toBe('{"byTokens":0.0016,"byPrice":0.001}');
    expect(String(costChange?.byTokens.plus(costChange.byPrice))).toBe(String(cost.change));
  });

  // 200 in and 400 out at 1 and 2 are 1,000 millionths, and 300 and 600 are 1,500.
  test.each<[string, Result[], Result[], object]>([
    [
      'states half of the list price now',
      [answer()],
      [answer({ cost: Money.of('0.0005') }, { statedCost: '0.0005' })],
      { byTokens: '0', byPrice: '-0.0005' },
    ],
    [
      'stated half of the list price before',
      [answer({ cost: Money.of('0.0005') }, { statedCost: '0.0005' })],
      [answer()],
      { byTokens: '0', byPrice: '0.0005' },
    ],
    [
      'states half of it for more tokens',
      [answer()],
      [answer({ cost: Money.of('0.00075'), inputTokens: 300, outputTokens: 600 }, { statedCost: '0.00075' })],
      { byTokens: '0.00025', byPrice: '-0.0005' },
    ],
    [
      'states nothing',
      [answer()],
      [answer({ cost: Money.zero }, { statedCost: '0' })],
      { byTokens: '0', byPrice: '-0.001' },
    ],
    [
      'let a model of half the price answer the second call',
      [answer(), answer()],
      [
        answer(),
        answer(
          { cost: Money.of('0.0005') },
          { rates: { input: '0.5', cachedInput: '0.5', cacheWrite: '0.5', output: '1' } },
        ),
      ],
      { byTokens: '0', byPrice: '-0.00025' },
    ],
    [
      'let a free model answer the first call',
      [answer()],
      [answer({ cost: Money.zero }, { rates: FREE }), answer()],
      { byTokens: '0.0005', byPrice: '-0.001' },
    ],
    [
      'is free',
      [answer({ cost: Money.zero }, { rates: FREE })],
      [answer({ cost: Money.zero }, { rates: FREE })],
      { byTokens: '0', byPrice: '0' },
    ],
  ])('tell a price from tokens where the vendor %s', (_, before, after, expected) => {
    const { cost, costChange } = compareFigures({ before, after }, []);
    expect({ byTokens: String(costChange?.byTokens), byPrice: String(costChange?.byPrice) }).toEqual(expected);
    expect(String(costChange?.byTokens.plus(costChange.byPrice))).toBe(String(cost.change));
  });

  test('tell apart what was called and how', () => {
    const after = [answer({}, { vendorModel: 'v2', applied: { temperature: 0.7, max_tokens: 500 } })];
    expect(compareFigures({ before: [answer()], after }, [])).toMatchObject({
      vendorModel: { before: 'v1', after: 'v2', changed: true },
      applied: { changed: false },
      prices: { changed: false },
    });
    expect(
      compareFigures({ before: [answer()], after: [answer({}, { applied: { max_tokens: 500 } })] }, []),
    ).toMatchObject({ applied: { changed: true } });
  });

  test('name the checks that more or fewer of the answers pass, among the decided ones', () => {
    const withVerdicts = (...outcomes: Verdict['outcome'][]) =>
      answer({ checks: outcomes.map((outcome, index) => verdict(`c${index}`, outcome)) });
    const before = [
      withVerdicts('pass', 'fail', 'pass', 'pass', 'pass'),
      withVerdicts('pass', 'fail', 'pass', 'pass', 'fail'),
    ];
    const after = [
      withVerdicts('fail', 'pass', 'pass', 'error', 'pass'),
      withVerdicts('pass', 'fail', 'pass', 'error', 'fail'),
    ];
    expect(compareFigures({ before, after }, ['c0', 'c1', 'c2', 'c3', 'c4']).checks).toEqual({
      improved: ['c1'],
      regressed: ['c0'],
    });
  });

  test('compare only checks that both define alike', () => {
    const stored = (checks: Check[] | null) => ({ record: Object.assign(new Eval(), { checks }), results: [] });
    const reordered = { not: false, name: 'b', weight: 1, type: 'finished' } as Check;
    expect(
      commonChecks(
        stored([check('a'), check('b'), check('c')]),
        stored([check('a', { weight: 2 }), reordered, check('d')]),
      ),
    ).toEqual(['b']);
    expect(commonChecks(stored(null), stored([check('a')]))).toEqual([]);
  });

  test('name what of the request differs', () => {
    const record = { prompt: 'p', input: null, temperature: 0.7, maxTokens: 500, samples: 1, checks: null };
    expect(changedRequest(record as Eval, record as Eval)).toEqual([]);
    expect(
      changedRequest(
        record as Eval,
        { ...record, prompt: 'q', input: '', temperature: 0, maxTokens: 1, samples: 2, checks: [check('a')] } as Eval,
      ),
    ).toEqual(['prompt', 'input', 'options.temperature', 'options.max_tokens', 'options.samples', 'checks']);
  });
});

describe('The tests of a drift', () => {
  const LATENCY =
    ' Latency is shown without a test: two evals are two moments. Compare evals of several nights to see if a model became slower.';
  const calls = (...outcomes: (Verdict['outcome'] | 'failed')[]) =>
    outcomes.map((outcome) => (outcome === 'failed' ? failed() : answer({ checks: [verdict('a', outcome)] })));
  const repeated = <T>(count: number, value: T) => times(count, () => value);
  const passed = (count: number, of: number) =>
    calls(...repeated(count, 'pass' as const), ...repeated(of - count, 'fail' as const));
  const of = (before: Result[], after: Result[], checks = ['a']) => testDrift([{ before, after }], checks)[0];

  test('of checks take the answers of the two evals for independent samples', () => {
    expect(of(passed(10, 10), passed(5, 10))).toEqual({
      significant: {
        answered: { pValue: 1, pAdjusted: 1, significant: false },
        checks: { pValue: 0.0325077, pAdjusted: 0.0325077, significant: true },
      },
      because: `The change of passed checks is larger than luck explains (5 % over all tests of this answer).${LATENCY}`,
    });
    expect(of(passed(6, 6), passed(0, 6))?.significant?.checks).toEqual({
      pValue: 0.0021645,
      pAdjusted: 0.0021645,
      significant: true,
    });
    expect(of(passed(7, 10), passed(7, 10))).toMatchObject({
      significant: { checks: { pValue: 1, significant: false } },
      because: `No change of answered calls and passed checks is larger than luck explains; that does not mean that there is none.${LATENCY}`,
    });
  });

  test('count what the checks could not decide neither way', () => {
    expect(of(passed(10, 10), calls(...repeated(10, 'error' as const)))).toEqual({
      significant: { answered: { pValue: 1, pAdjusted: 1, significant: false }, checks: null },
      because: `0 of 10 could not be decided by the checks before, 10 of 10 after. No change of answered calls is larger than luck explains; that does not mean that there is none.${LATENCY}`,
    });
    expect(of(passed(10, 10), [...passed(5, 10), ...calls('error', 'error')])?.significant?.checks).toMatchObject({
      pValue: 0.0325077,
    });
    // A check that failed decides, whatever another could not.
    const both = (outcomes: Verdict['outcome'][]) =>
      answer({ checks: outcomes.map((outcome, index) => verdict(['a', 'b'][index] ?? '', outcome)) });
    expect(
      of(repeated(10, both(['pass', 'pass'])), repeated(10, both(['error', 'fail'])), ['a', 'b'])?.significant?.checks,
    ).toMatchObject({ significant: true });
    expect(
      of(repeated(10, both(['pass', 'pass'])), repeated(10, both(['pass', 'fail'])), ['a'])?.significant?.checks,
    ).toMatchObject({ pValue: 1 });
  });

  test('see calls that no longer answer, and name them', () => {
    expect(of(passed(10, 10), [...passed(5, 5), ...repeated(5, failed())], [])).toEqual({
      significant: { answered: { pValue: 0.0325077, pAdjusted: 0.0325077, significant: true }, checks: null },
      because: `0 of 10 failed before, 5 of 10 after. The change of answered calls is larger than luck explains (5 % over all tests of this answer).${LATENCY}`,
    });
  });

  test('never are of latency', () => {
    const slow = times(10, () => answer({ latencyMs: 9000 }));
    expect(
      of(
        times(10, () => answer()),
        slow,
        [],
      ),
    ).toMatchObject({
      significant: { answered: { significant: false }, checks: null },
      because: expect.stringContaining(LATENCY),
    });
  });

  test.each<[Result[], Result[], object | null, string]>([
    [
      passed(1, 1),
      passed(0, 1),
      null,
      'One answer cannot tell a change from luck; that takes at least 4 of each eval.',
    ],
    [
      passed(3, 3),
      passed(0, 3),
      null,
      'So few answers cannot tell a change from luck; that takes at least 4 of each eval.',
    ],
    [
      passed(5, 5),
      passed(0, 5),
      { checks: { pValue: 0.00793651, significant: true } },
      'The change of passed checks is larger than luck explains (5 % over all tests of this answer).',
    ],
    [
      passed(4, 4),
      passed(0, 4),
      { checks: { pValue: 0.0285714, significant: true } },
      'The change of passed checks is larger than luck explains (5 % over all tests of this answer).',
    ],
  ])('say only of one answer that one cannot tell', (before, after, significant, because) => {
    const [found] = testDrift([{ before, after }], ['a']);
    expect(found?.because).toBe(`${because}${LATENCY}`);
    if (significant === null) expect(found?.significant).toBeNull();
    else expect(found?.significant).toMatchObject(significant);
  });

  test('are adjusted for each other, and what cannot differ is no test', () => {
    const worse = { before: passed(4, 4), after: passed(0, 4) };
    const [one] = testDrift(
      times(8, () => worse),
      ['a'],
    );
    expect(one?.significant?.checks).toEqual({ pValue: 0.0285714, pAdjusted: 0.228571, significant: false });
    expect(one?.because).toBe(
      `So few answers cannot tell a change from luck when 8 tests are made at once; that takes at least 6 of each eval.${LATENCY}`,
    );
    const steady = { before: passed(4, 4), after: passed(4, 4) };
    expect(testDrift([worse, ...times(7, () => steady)], ['a'])[0]?.significant?.checks).toEqual({
      pValue: 0.0285714,
      pAdjusted: 0.0285714,
      significant: true,
    });
    expect(
      testDrift(
        times(8, () => ({ before: passed(6, 6), after: passed(0, 6) })),
        ['a'],
      )[0]?.significant?.checks,
    ).toMatchObject({ pAdjusted: 0.017316, significant: true });
  });

  test('name answers without text, which have no figures beside others', () => {
    const blank = times(2, () => answer({ output: ' ', latencyMs: 1 }));
    const given = { before: times(3, () => answer()), after: [...blank, answer({ latencyMs: 200 })] };
    expect(testDrift([given], [])[0]?.because).toMatch(
      /^0 of 3 had no text and do not count in latency, cost and tokens before, 2 of 3 after\. /,
    );
    expect(compareFigures(given, []).latencyMs).toEqual({ before: 100, after: 200, change: 100 });
    expect(compareFigures({ before: blank, after: blank }, []).latencyMs).toEqual({ before: 1, after: 1, change: 0 });
  });

  test('compare no cost and no tokens of a text with those of none', () => {
    const starved = times(2, () =>
      answer({ output: '', cost: Money.of('0.0001'), inputTokens: 200, outputTokens: 100 }),
    );
    const figures = (before: Result[], after: Result[]) => {
      const { cost, outputTokens, costChange } = compareFigures({ before, after }, []);
      return JSON.stringify({ cost, outputTokens: outputTokens.after, costChange });
    };
    expect(figures([answer()], [...starved, answer({ cost: Money.of('0.0014'), outputTokens: 600 })])).toBe(
      '{"cost":{"before":0.001,"after":0.0014,"change":0.0004},"outputTokens":600,"costChange":{"byTokens":0.0004,"byPrice":0}}',
    );
    expect(figures([answer()], starved)).toBe(
      '{"cost":{"before":0.001,"after":null,"change":null},"outputTokens":null,"costChange":null}',
    );
    expect(figures(starved, starved)).toMatch(
      /^\{"cost":\{"before":0.0001,"after":0.0001,"change":0\},"outputTokens":100,/,
    );
  });
});

describe('The vendors’ own names of the models that answered', () => {
  const named = (...names: (string | undefined)[]) =>
    names.map((answeredBy) => answer({}, answeredBy === undefined ? {} : { answeredBy }));
  test.each([
    [
      'are the same set, however often each answered',
      named('m-2', 'm-1', 'm-1'),
      named('m-1', 'm-2'),
      { before: ['m-1', 'm-2'], after: ['m-1', 'm-2'], changed: false },
    ],
    [
      'are others',
      named('m-2026-10-01', 'm-2026-10-01'),
      named('m-2026-10-01', 'm-2026-11-20'),
      { before: ['m-2026-10-01'], after: ['m-2026-10-01', 'm-2026-11-20'], changed: true },
    ],
    [
      'are those of all calls that have one',
      named('m-1'),
      named(undefined, 'm-2'),
      { before: ['m-1'], after: ['m-2'], changed: true },
    ],
    [
      'are not known of an earlier release, which is no change',
      named(undefined),
      named('m-2'),
      { before: [], after: ['m-2'], changed: false },
    ],
    [
      'are no longer told, which is no change',
      named('m-1'),
      named(undefined),
      { before: ['m-1'], after: [], changed: false },
    ],
  ])('%s', (_, before, after, expected) => {
    expect(compareFigures({ before, after }, []).answeredBy).toEqual(expected);
  });
});
