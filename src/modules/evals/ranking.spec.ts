import fc from 'fast-check';
import { Money } from '../../common/money';
import { cheapest, fastest, totalCost, type RankedResult } from './ranking';

function good(model: string, latencyMs: number, cost: string): RankedResult {
  return { model, output: 'yes', latencyMs, cost: Money.of(cost), error: null };
}

function blank(model: string, latencyMs: number, cost: string, output = ''): RankedResult {
  return { ...good(model, latencyMs, cost), output };
}

function failed(model: string, latencyMs = 0, code = 'unavailable'): RankedResult {
  return { model, output: '', latencyMs, cost: Money.zero, error: { code } };
}

describe('The ranking', () => {
  test.each<[string, RankedResult[], string, string]>([
    ['one model wins both', [good('a', 900, '0.5')], 'a', 'a'],
    [
      'the fastest need not be the cheapest',
      [good('a', 900, '0.1'), good('b', 100, '0.3'), good('c', 500, '0.2')],
      'b',
      'a',
    ],
    ['ties go to request order', [good('z', 500, '0.2'), good('a', 500, '0.2'), good('m', 500, '0.2')], 'z', 'z'],
    [
      'ties among the later ones go to the earlier of them',
      [good('a', 900, '0.9'), good('c', 5, '0.2'), good('b', 5, '0.20')],
      'c',
      'c',
    ],
    [
      'a failed model never wins, though it cost nothing and took no time',
      [failed('x'), good('a', 900, '0.5'), failed('y')],
      'a',
      'a',
    ],
    ['a model that is free wins', [good('a', 1, '0.000000000001'), good('b', 2, '0')], 'a', 'b'],
    ['a latency of zero wins', [good('a', 1, '0.1'), good('b', 0, '0.2')], 'b', 'a'],
    [
      'amounts that floats cannot tell apart are told apart',
      [good('a', 1, '9007199254740993'), good('b', 2, '9007199254740992')],
      'a',
      'b',
    ],
    ['amounts are compared as numbers and not as texts', [good('a', 1, '9'), good('b', 2, '10')], 'a', 'a'],
    ['all failed, nobody wins', [failed('a'), failed('b')], '', ''],
    ['nothing ran, nobody wins', [], '', ''],
    [
      'of several results of a model the median counts, not the best',
      [
        good('a', 10, '0.1'),
        good('b', 50, '0.3'),
        good('a', 90, '0.9'),
        good('b', 60, '0.4'),
        good('a', 80, '0.8'),
        good('b', 70, '0.5'),
      ],
      'b',
      'b',
    ],
    [
      'of an even number both in the middle count',
      [good('a', 10, '0.1'), good('b', 50, '0.5'), good('a', 100, '1'), good('b', 56, '0.56')],
      'b',
      'b',
    ],
    [
      'its failed results do not count',
      [
        failed('a'),
        good('b', 50, '0.5'),
        failed('a'),
        good('b', 50, '0.5'),
        good('a', 51, '0.51'),
        good('b', 50, '0.5'),
      ],
      'b',
      'b',
    ],
    [
      'one good result is enough',
      [good('a', 50, '0.5'), failed('b'), good('a', 50, '0.5'), good('b', 49, '0.49')],
      'b',
      'b',
    ],
    [
      'ties of medians go to request order, also when the first one failed first',
      [failed('a'), good('b', 50, '0.5'), good('a', 50, '0.5'), good('b', 50, '0.5')],
      'a',
      'a',
    ],
    [
      'a result without text leads neither beside one with text',
      [blank('a', 400, '0.1'), good('b', 900, '0.5')],
      'b',
      'b',
    ],
    ['white space is no text', [blank('a', 400, '0.1', ' \n\t\u00a0'), good('b', 900, '0.5')], 'b', 'b'],
    [
      'a blank result leads where all are blank, and a failure is no text',
      [failed('x'), blank('a', 400, '0.5'), blank('b', 900, '0.1')],
      'a',
      'b',
    ],
    [
      'of several results of a model those without text do not count',
      [blank('a', 1, '0.01'), good('b', 50, '0.5'), good('a', 51, '0.51'), good('b', 50, '0.5')],
      'b',
      'b',
    ],
    [
      'a timeout is slower than every answer and costs nothing',
      [failed('a', 9, 'timeout'), good('b', 900, '0.5'), good('a', 300, '0.3'), good('b', 900, '0.5')],
      'b',
      'a',
    ],
    [
      'a timeout in three leaves the median an answer',
      [
        failed('a', 9, 'timeout'),
        good('b', 900, '0.5'),
        good('a', 300, '0.3'),
        good('b', 900, '0.5'),
        good('a', 310, '0.3'),
        good('b', 900, '0.5'),
      ],
      'a',
      'a',
    ],
    [
      'where every model timed out in half of its calls, their answers decide',
      [failed('a', 9, 'timeout'), good('b', 200, '0.5'), good('a', 300, '0.3'), failed('b', 9, 'timeout')],
      'b',
      'a',
    ],
    ['a model that only timed out never wins', [failed('a', 1, 'timeout'), good('b', 900, '0.5')], 'b', 'b'],
    [
      'medians are exact',
      [good('a', 1, '0.1'), good('b', 1, '0.15'), good('a', 1, '0.2'), good('b', 1, '0.150000000001')],
      'a',
      'a',
    ],
  ])('holds that %s', (_, results, first, least) => {
    expect({ fastest: fastest(results), cheapest: cheapest(results) }).toEqual({ fastest: first, cheapest: least });
  });

  test('puts no result before the winner and leaves the results unchanged', () => {
    const ranked = fc.record({ latencyMs: fc.nat(5), cost: fc.nat(5), hasFailed: fc.boolean() });
    fc.assert(
      fc.property(fc.array(ranked, { minLength: 1, maxLength: 8 }), (runs) => {
        const results = runs.map(({ latencyMs, cost, hasFailed }, index) =>
          hasFailed ? failed(`m${index}`, latencyMs) : good(`m${index}`, latencyMs, String(cost)),
        );
        const before = results.map(({ model }) => model);
        const stillIn = results.filter(({ error }) => error === null);
        const quickest = stillIn.find(({ latencyMs }) => stillIn.every((other) => other.latencyMs >= latencyMs));
        const least = stillIn.find(({ cost }) =>
          stillIn.every((other) => Number(other.cost.toString()) >= Number(cost.toString())),
        );
        expect([fastest(results), cheapest(results)]).toEqual([quickest?.model ?? '', least?.model ?? '']);
        expect(results.map(({ model }) => model)).toEqual(before);
      }),
    );
  });
});

describe('The total cost', () => {
  test.each<[string, string[], string]>([
    ['nothing', [], '0'],
    ['one', ['0.00118755'], '0.00118755'],
    ['three that floats would add to 0.6000000000000001', ['0.1', '0.2', '0.3'], '0.6'],
    ['a large and a tiny one', ['1000000', '0.000000000001'], '1000000.000000000001'],
  ])('is exact for %s', (_, costs, total) => {
    expect(totalCost(costs.map((cost, index) => good(`m${index}`, 1, cost))).toString()).toBe(total);
  });

  test('counts a failed model as zero', () => {
    expect(totalCost([good('a', 1, '0.1'), failed('b'), good('c', 1, '0.2')]).toString()).toBe('0.3');
  });
});
