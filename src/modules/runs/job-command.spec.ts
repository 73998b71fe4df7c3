import { Money } from '../../common/money';
import type { CompareCommand } from '../execution/compare.types';
import { readCommand, storedCommand } from './job-command';

const PLAIN: CompareCommand = {
  prompt: 'Hello',
  input: undefined,
  models: ['a', 'b'],
  samples: 1,
  options: { temperature: 0.7, isTemperatureGiven: false, isMaxTokensGiven: true, maxTokens: 500 },
  maxCost: undefined,
  checks: [],
  rerunOf: undefined,
};
const FULL: CompareCommand = {
  prompt: 'Say {input}',
  input: '',
  models: ['a'],
  samples: 50,
  options: { temperature: 0, isTemperatureGiven: true, isMaxTokensGiven: true, maxTokens: 7 },
  maxCost: Money.of('0.000000000001'),
  rerunOf: 'eval_1',
  checks: [
    { name: 'cheap', type: 'cost', weight: 2, not: false, max_usd: '0.000000000001' },
    { name: 'equals-2', type: 'equals', weight: 1, not: true, value: 'x', ignore_case: false, trim: true },
    { name: 'json-3', type: 'json', weight: 1, not: false, schema: { type: 'object' }, allow_fence: true },
  ],
};
const EXTRA: CompareCommand = {
  ...PLAIN,
  options: {
    ...PLAIN.options,
    extra: {
      system: 'Be brief.',
      history: [{ role: 'assistant', content: 'Hi' }],
      reasoning_effort: 'low',
      reasoning_tokens: 0,
      response_format: { type: 'json_schema', schema: { properties: { b: {}, a: {} } } },
      exact_model: true,
    },
  },
};
const seen = ({ maxCost, ...command }: CompareCommand) => ({ ...command, maxCost: maxCost?.toString() });
const inDatabase = (body: object): unknown => JSON.parse(JSON.stringify(body));

describe('The command of a queued job', () => {
  test.each([
    ['with all defaults', PLAIN],
    ['with all members', FULL],
    ['with options that few compares set', EXTRA],
    ['with the default output limit', { ...PLAIN, options: { ...PLAIN.options, isMaxTokensGiven: false } }],
  ])('is read unchanged %s', (_, command) => {
    expect(seen(readCommand(inDatabase(storedCommand(command))))).toEqual(seen(command));
  });

  test('is stored without its Idempotency-Key', () => {
    expect(JSON.stringify(storedCommand({ ...PLAIN, idempotencyKey: 'order 1' }))).not.toContain('order 1');
  });

  test('holds every default, so that a later release cannot change it', () => {
    expect(inDatabase(storedCommand(PLAIN))).toEqual({
      version: 1,
      request: { prompt: 'Hello', models: ['a', 'b'], options: { max_tokens: 500, samples: 1 } },
      temperature: 0.7,
      isMaxTokensGiven: true,
    });
  });

  test('keeps another default than that of this release', () => {
    const body = inDatabase(
      storedCommand({
        ...PLAIN,
        options: { temperature: 0.9, isTemperatureGiven: false, isMaxTokensGiven: true, maxTokens: 900 },
      }),
    );
    expect(readCommand(body).options).toEqual({
      temperature: 0.9,
      isTemperatureGiven: false,
      isMaxTokensGiven: true,
      maxTokens: 900,
    });
  });

  test('is read from the request that an earlier release stored', () => {
    expect(readCommand({ request: { prompt: 'Hello', models: ['a', 'b'] } })).toEqual(PLAIN);
    expect(
      seen(
        readCommand({
          request: {
            prompt: 'Say {input}',
            input: '',
            models: ['a'],
            options: { temperature: 0, max_tokens: 7, max_cost_usd: 1e-12, samples: 50 },
            checks: [
              { type: 'cost', name: 'cheap', weight: 2, max_usd: 1e-12 },
              { type: 'equals', not: true, value: 'x' },
              { type: 'json', schema: { type: 'object' } },
            ],
          },
          rerunOf: 'eval_1',
        }),
      ),
    ).toEqual(seen(FULL));
  });

  test('with options that the release before does not know has a version that it leaves alone', () => {
    expect(
      [PLAIN, EXTRA, { ...PLAIN, models: ['a', 'b@low'] }].map((command) => storedCommand(command).version),
    ).toEqual([1, 2, 2]);
  });

  test('of a later release is left to a process of that release', () => {
    expect(() => readCommand({ ...storedCommand(PLAIN), version: 3 })).toThrow(
      expect.objectContaining({ code: 'unavailable' }),
    );
  });
});
