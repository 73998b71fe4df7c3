import type { Charge } from '../billing/charge.entity';
import { Money } from '../../common/money';
import { toCsv, toJson } from './statement';

const AT = new Date('2026-11-21T09:30:00.000Z');

function chargeOf(cost: string, charge: string, members: Partial<Charge> = {}): Charge {
  return {
    evalId: 'eval_1',
    models: ['sim-swift'],
    inputTokens: 2,
    outputTokens: 3,
    cost: Money.of(cost),
    margin: '0.4',
    charge: Money.of(charge),
    isFree: false,
    reason: null,
    occurredAt: AT,
    createdAt: AT,
    ...members,
  } as Charge;
}

/** A free eval, a charged one, one of models that cost nothing, and a correction. */
async function* charges(): AsyncGenerator<Charge> {
  yield chargeOf('0.01', '0', { isFree: true });
  yield chargeOf('0.0000000000000000001', '0.00000000000000000014');
  yield chargeOf('0', '0');
  yield chargeOf('0', '-2.5', {
    evalId: null,
    models: [],
    inputTokens: 0,
    outputTokens: 0,
    margin: '0',
    reason: 'Goodwill',
  });
}

async function joined(chunks: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const chunk of chunks) text += chunk;
  return text;
}

describe('The total of a statement', () => {
  test('adds up all digits, and counts as free what was free, not what cost nothing, and no correction as an eval', async () => {
    const json = await joined(toJson('2026-11', charges()));
    expect(json).toContain(
      '"total":{"eval_count":3,"free_eval_count":1,"cost_usd":0.0100000000000000001,"charge_usd":-2.49999999999999999986}',
    );
    expect((await joined(toCsv(charges()))).trimEnd().split('\r\n').at(-1)).toBe(
      'total,,,6,9,0.0100000000000000001,,-2.49999999999999999986,,',
    );
  });
});
