import type { PriceStep } from '../models/catalog';
import { Money } from '../../common/money';
import { projectModel } from './projection';
import { Result } from '../evals/result.entity';

function answer(inputTokens: number, outputTokens: number, details: object = {}): Result {
  return Object.assign(new Result(), {
    model: 'm',
    output: 'x',
    inputTokens,
    outputTokens,
    cost: Money.zero,
    error: null,
    checks: null,
    warnings: [],
    details: { cachedInputTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0, ...details },
  });
}

function step(input: string, output: string, more: object = {}): PriceStep {
  return {
    from: '2026-01-01',
    until: null,
    hours: null,
    price: { input: Money.of(input), output: Money.of(output), ...more },
  };
}

const OPTIONS = { callsPerMonth: 50_000, margin: '0.4' };
const amounts = (results: Result[], prices: PriceStep[], options = OPTIONS) =>
  projectModel('m', results, prices, options).steps.map(({ costPerCall, monthlyCost, monthlyCharge, interval }) => ({
    call: String(costPerCall),
    cost: String(monthlyCost),
    charge: String(monthlyCharge),
    interval,
  }));

describe('The projection of a model', () => {
  test('prices the tokens of its answer at each step, exactly', () => {
    expect(amounts([answer(1200, 300)], [step('2', '10'), step('3', '15')])).toEqual([
      { call: '0.0054', cost: '270', charge: '378', interval: null },
      { call: '0.0081', cost: '405', charge: '567', interval: null },
    ]);
  });

  test('takes the mean of several answers, rounded once', () => {
    const answers = [answer(1, 0), answer(1, 0), answer(2, 0)];
    // 4 / 3 of a millionth: a rounded cost per call would give 1.333333333000 for a million calls.
    expect(amounts(answers, [step('1', '1')], { callsPerMonth: 1_000_000, margin: '0.4' })[0]).toMatchObject({
      call: '0.000001333333',
      cost: '1.333333333333',
      charge: '1.866666666667',
    });
  });

  test('takes the share of the list price that the vendor charged, exactly at the same price, and says so', () => {
    // 1,200 × 2 + 300 × 10 = 5,400 millionths listed; at 3 and 15 half as much again.
    const rates = { input: '2', cachedInput: '2', cacheWrite: '2', output: '10' };
    const stated = Object.assign(answer(1200, 300, { rates, statedCost: '0.001234567891' }), {
      cost: Money.of('0.001234567891'),
    });
    const calls = (results: Result[]) =>
      amounts(results, [step('2', '10'), step('3', '15')]).map(({ call, cost }) => [call, cost]);
    expect(calls([stated])).toEqual([
      ['0.001234567891', '61.72839455'],
      ['0.001851851837', '92.592591825'],
    ]);
    // The other answer at its list price: (0.001234567891 + 0.0054) / 2
    expect(calls([stated, answer(1200, 300, { rates })])[0]?.[0]).toBe('0.003317283946');
    expect(projectModel('m', [stated, answer(1200, 300, { rates })], [step('2', '10')], OPTIONS).notes).toEqual([
      'The vendor charged less than its list price for 1 of 2 answers; the projection assumes that it continues to.',
    ]);
  });

  test('is at the price of the model that was asked for where another one answered, and says so', () => {
    const substituted = Object.assign(answer(1200, 300), {
      cost: Money.of('0.001'),
      warnings: [{ code: 'model_substituted', message: '' }],
    });
    const { steps, notes } = projectModel('m', [substituted, answer(1200, 300)], [step('2', '10')], OPTIONS);
    expect([String(steps[0]?.costPerCall), notes]).toEqual([
      '0.0054',
      ['Another model answered 1 of 2 calls; the projection is at the price of the requested model.'],
    ]);
  });

  test('has an interval only where costs vary', () => {
    const scores = [0.2, 0.4, 0.4, 0.9, 1].map((score) => answer(score * 1_000_000, 0));
    const [varying] = amounts(scores, [step('1', '1')], { callsPerMonth: 1, margin: '0' });
    expect(varying).toMatchObject({ cost: '0.58', interval: [0.146305, 1.01369] });
    expect(amounts([answer(5, 5), answer(5, 5)], [step('1', '1')])[0]?.interval).toBeNull();
    expect(amounts([answer(5, 5)], [step('1', '1')])[0]?.interval).toBeNull();
    // Of which six digits would be the same.
    expect(amounts([answer(10_000_000, 0), answer(10_000_001, 0)], [step('1', '1')])[0]?.interval).toBeNull();
  });

  test('never has an interval below zero', () => {
    const [wide] = amounts([answer(1, 0), answer(1_000_000, 0)], [step('1', '1')]);
    expect(wide?.interval?.[0]).toBe(0);
  });

  test('prices long prompts at their own rates', () => {
    const longContext = { aboveInputTokens: 1000, input: Money.of('4'), output: Money.of('20') };
    expect(amounts([answer(1200, 300)], [step('2', '10', { longContext })])[0]?.call).toBe('0.0108');
  });

  test('says what the cache saved, and what a call costs without it', () => {
    const { steps, notes } = projectModel(
      'm',
      [answer(1000, 0, { cachedInputTokens: 400 })],
      [step('1', '1', { cachedInput: Money.of('0.1') })],
      OPTIONS,
    );
    expect([String(steps[0]?.costPerCall), String(steps[0]?.costPerCallWithoutCache)]).toEqual(['0.00064', '0.001']);
    expect(notes).toEqual([
      "40 % of the input tokens came from the vendor's cache; calls with other prompts would find less there.",
      'One answer does not tell how much the cost of a call varies.',
    ]);
  });

  test('counts what was written to the cache at its own rate, and without a cache as plain input, for each call', () => {
    // By hand: 300 × 1 + 400 × 0.1 + 300 × 1.25 = 715 millionths; without a cache 1,000, and 3,000 for the second.
    const prices = [step('1', '1', { cachedInput: Money.of('0.1'), cacheWrite: Money.of('1.25') })];
    const written = answer(1000, 0, { cachedInputTokens: 400, cacheWriteTokens: 300 });
    const costs = (...answers: Result[]) =>
      projectModel('m', answers, prices, OPTIONS).steps.map(({ costPerCall, costPerCallWithoutCache }) => [
        String(costPerCall),
        String(costPerCallWithoutCache),
      ]);
    expect(costs(written)).toEqual([['0.000715', '0.001']]);
    expect(costs(written, answer(3000, 0))).toEqual([['0.0018575', '0.002']]);
  });

  test('contains the cost of answers without text, and names them', () => {
    const blank = Object.assign(answer(1000, 500), { output: ' \n' });
    const { steps, notes } = projectModel('m', [answer(1000, 100), blank, blank], [step('1', '1')], OPTIONS);
    expect([String(steps[0]?.costPerCall), notes]).toEqual([
      '0.001366666667',
      ['2 of 3 answers had no text; the projection contains what such answers cost.'],
    ]);
  });

  test('is empty, with the reason, where the model failed or has no price', () => {
    const failed = Object.assign(answer(0, 0), { error: { code: 'timeout', message: '', retryable: true } });
    expect(projectModel('m', [failed], [step('1', '1')], OPTIONS)).toEqual({
      model: 'm',
      answered: 0,
      steps: [],
      perPassed: null,
      notes: ['The model did not answer in this eval, so there is nothing to project.'],
    });
    expect(projectModel('m', [answer(1, 1), answer(1, 2)], [], OPTIONS)).toEqual({
      model: 'm',
      answered: 2,
      steps: [],
      perPassed: null,
      notes: ['The catalog has no price of this model from today on.'],
    });
  });

  test('has the cost of a passed answer, in which failed calls and answers that do not pass count', () => {
    const checked = (outcome: string) => ({ checks: [{ outcome }], cost: Money.of('0.01') });
    const calls = [
      ...Array.from({ length: 5 }, () => Object.assign(answer(1, 1), checked('pass'))),
      Object.assign(answer(1, 1), checked('fail')),
      Object.assign(answer(0, 0), {
        ...{ cost: Money.of('0.04'), error: { code: 'timeout', message: '', retryable: true } },
      }),
    ];
    const perPassed = (results: Result[]) => projectModel('m', results, [], OPTIONS).perPassed;
    expect(perPassed(calls)?.usd).toBeCloseTo(0.02, 12);
    expect([perPassed(calls.slice(1)), perPassed([answer(1, 1)])]).toEqual([null, null]);
  });

  test('leaves out the answers of other models and failed calls', () => {
    const other = Object.assign(answer(1_000_000, 0), { model: 'other' });
    const failed = Object.assign(answer(0, 0), { error: { code: 'timeout', message: '', retryable: true } });
    expect(projectModel('m', [other, answer(1000, 0), failed], [step('1', '1')], OPTIONS)).toMatchObject({
      answered: 1,
    });
    expect(amounts([other, answer(1000, 0), failed], [step('1', '1')])[0]?.call).toBe('0.001');
  });
});
