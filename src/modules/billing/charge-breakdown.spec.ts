import { Money } from '../../common/money';
import { breakdownOf } from './charge-breakdown';

const CHARGE = {
  keyId: 'key_1',
  occurredAt: new Date('2026-11-30T23:59:59.999Z'),
  cost: Money.of('0.3'),
  charge: Money.of('0.42'),
  inputTokens: 30,
  outputTokens: 12,
};
const RESULTS = [
  { model: 'mini', cost: Money.of('0.1'), inputTokens: 10, outputTokens: 5 },
  { model: 'maxi', cost: Money.of('0.2'), inputTokens: 20, outputTokens: 7 },
];

/** The shares of a charge, with printed amounts. */
function shares(changes: object = {}, results = RESULTS): object[] {
  const charge = { ...CHARGE, ...changes } as Parameters<typeof breakdownOf>[0];
  return breakdownOf(charge, { results }, (cost) => cost.times('1.4')).map((share) => ({
    ...share,
    cost: share.cost.toString(),
    charge: share.charge.toString(),
  }));
}

describe('The breakdown lines of a charge', () => {
  test('contain a line for each model with its own cost and tokens, and one for the UTC day and one for the key with the totals', () => {
    expect(shares()).toEqual([
      { dimension: 'model', item: 'mini', cost: '0.1', charge: '0.14', inputTokens: 10, outputTokens: 5 },
      { dimension: 'model', item: 'maxi', cost: '0.2', charge: '0.28', inputTokens: 20, outputTokens: 7 },
      { dimension: 'day', item: '2026-11-30', cost: '0.3', charge: '0.42', inputTokens: 30, outputTokens: 12 },
      { dimension: 'key', item: 'key_1', cost: '0.3', charge: '0.42', inputTokens: 30, outputTokens: 12 },
    ]);
  });

  test('contain one line for a model with several results, which is their sum', () => {
    const [mini, maxi] = RESULTS as [(typeof RESULTS)[number], (typeof RESULTS)[number]];
    const again = { model: 'mini', cost: Money.of('0.000000000001'), inputTokens: 3, outputTokens: 0 };
    expect(shares({}, [mini, maxi, again, { ...maxi, cost: Money.zero }]).slice(0, -2)).toEqual([
      {
        dimension: 'model',
        item: 'mini',
        cost: '0.100000000001',
        charge: '0.1400000000014',
        inputTokens: 13,
        outputTokens: 5,
      },
      { dimension: 'model', item: 'maxi', cost: '0.2', charge: '0.28', inputTokens: 40, outputTokens: 14 },
    ]);
  });

  test('contain one line for a model at several efforts', () => {
    const results = ['mini@low', 'mini', 'mini@high'].map((model) => ({
      model,
      cost: Money.of('0.1'),
      inputTokens: 10,
      outputTokens: 4,
    }));
    expect(shares({}, results).slice(0, -2)).toEqual([
      { dimension: 'model', item: 'mini', cost: '0.3', charge: '0.42', inputTokens: 30, outputTokens: 12 },
    ]);
  });

  test('name no key where the charge has none', () => {
    expect(shares({ keyId: null }).at(-1)).toMatchObject({ dimension: 'key', item: '' });
  });
});
