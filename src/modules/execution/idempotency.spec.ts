import { createHash } from 'node:crypto';
import { Money } from '../../common/money';
import { idempotencyOf } from './idempotency';
import type { CompareSettings } from './adapt-parameters';
import type { CompareCommand } from './compare.types';

function fingerprint(options: Partial<CompareSettings> = {}, more: Partial<CompareCommand> = {}): string | undefined {
  const settings = { temperature: 0.7, isTemperatureGiven: false, maxTokens: 500, isMaxTokensGiven: false, ...options };
  return idempotencyOf({
    idempotencyKey: 'key',
    prompt: 'Hello',
    input: undefined,
    models: ['a'],
    samples: 1,
    checks: [],
    options: settings,
    ...more,
  })?.fingerprint;
}

describe('The fingerprint of an Idempotency-Key', () => {
  const sha256 = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex');

  test.each<[string, string | undefined, unknown]>([
    ['without options', fingerprint(), ['Hello', null, ['a'], 0.7, 500, null]],
    ['with a limit', fingerprint({ maxTokens: 300, isMaxTokensGiven: true }), ['Hello', null, ['a'], 0.7, 300, null]],
    ['with samples', fingerprint({}, { samples: 3 }), ['Hello', null, ['a'], 0.7, 500, null, { samples: 3 }]],
    [
      'of a rerun',
      fingerprint({ isMaxTokensGiven: true }, { rerunOf: 'eval_1' }),
      ['Hello', null, ['a'], 0.7, 500, null, { rerunOf: 'eval_1' }],
    ],
  ])('of a compare %s is that of the releases before', (_, actual, request) => {
    expect(actual).toBe(sha256(request));
  });

  test('differs by every member of a request', () => {
    const check = { name: 'finished-1', type: 'finished', weight: 1, not: false } as const;
    const more: Partial<CompareCommand>[] = [
      {},
      { prompt: 'hello' },
      { input: '' },
      { input: 'x' },
      { models: ['b'] },
      { models: ['a', 'b'] },
      { models: ['b', 'a'] },
      { samples: 2 },
      { samples: 3 },
      { checks: [check] },
      { checks: [{ ...check, weight: 2 }] },
      { checks: [check, check] },
      { maxCost: Money.of('1') },
      { maxCost: Money.of('1.000000000001') },
      { rerunOf: 'eval_1' },
      { rerunOf: 'eval_2' },
      { isStored: false },
    ];
    const options: Partial<CompareSettings>[] = [
      { temperature: 0 },
      { maxTokens: 501 },
      { extra: { system: 'x' } },
      { extra: { system: 'y' } },
    ];
    expect(
      new Set([...more.map((members) => fingerprint({}, members)), ...options.map((members) => fingerprint(members))])
        .size,
    ).toBe(more.length + options.length);
    expect(fingerprint({}, { isStored: true })).toBe(fingerprint());
  });

  // With 500 no model has room for thought; without it a model that thinks does.
  test('differs between 500 tokens and no limit', () => {
    expect(
      new Set([
        fingerprint(),
        fingerprint({ isMaxTokensGiven: true }),
        fingerprint({ extra: { reasoning_tokens: 0 } }),
        fingerprint({ extra: { reasoning_tokens: 1 } }),
      ]).size,
    ).toBe(4);
  });
});
