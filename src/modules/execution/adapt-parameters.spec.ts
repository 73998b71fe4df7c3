import { adaptParameters } from './adapt-parameters';

const DIALECT = { maxTokensField: 'max_tokens' as const };
const OPENAI = {
  accepts: { temperature: { min: 0, max: 2 } },
  dialect: DIALECT,
  vendor: 'openai' as const,
  maxOutputTokens: 16_384,
};
const ANTHROPIC = {
  accepts: { temperature: { min: 0, max: 1 } },
  dialect: DIALECT,
  vendor: 'openai' as const,
  maxOutputTokens: 64_000,
};
const REASONING = {
  accepts: { temperature: null },
  dialect: DIALECT,
  vendor: 'openai' as const,
  maxOutputTokens: 128_000,
};
const UNKNOWN = {
  accepts: { temperature: { min: 0, max: 2 } },
  dialect: DIALECT,
  vendor: 'openai' as const,
  maxOutputTokens: null,
};
const SMALL = {
  accepts: { temperature: { min: 0.1, max: 1 } },
  dialect: DIALECT,
  vendor: 'openai' as const,
  maxOutputTokens: 100,
};

describe('adaptParameters', () => {
  test.each([
    [
      'a model that takes everything',
      OPENAI,
      { temperature: 0.7, maxTokens: 500 },
      { temperature: 0.7, maxTokens: 500 },
      [],
    ],
    ['its highest temperature', OPENAI, { temperature: 2, maxTokens: 500 }, { temperature: 2, maxTokens: 500 }, []],
    ['a temperature of zero', OPENAI, { temperature: 0, maxTokens: 1 }, { temperature: 0, maxTokens: 1 }, []],
    ['its most tokens', OPENAI, { temperature: 0.7, maxTokens: 16_384 }, { temperature: 0.7, maxTokens: 16_384 }, []],
    [
      'a temperature at the end of the range',
      ANTHROPIC,
      { temperature: 1, maxTokens: 500 },
      { temperature: 1, maxTokens: 500 },
      [],
    ],
    [
      'a temperature above the range',
      ANTHROPIC,
      { temperature: 1.0001, maxTokens: 500 },
      { temperature: 1, maxTokens: 500 },
      ['temperature_clamped'],
    ],
    [
      'a temperature below the range',
      SMALL,
      { temperature: 0, maxTokens: 100 },
      { temperature: 0.1, maxTokens: 100 },
      ['temperature_clamped'],
    ],
    [
      'a model without a temperature',
      REASONING,
      { temperature: 0.7, maxTokens: 500 },
      { temperature: undefined, maxTokens: 500 },
      ['temperature_ignored'],
    ],
    [
      'a model without a temperature that was asked for zero',
      REASONING,
      { temperature: 0, maxTokens: 500 },
      { temperature: undefined, maxTokens: 500 },
      ['temperature_ignored'],
    ],
    [
      'more tokens than it produces',
      SMALL,
      { temperature: 0.5, maxTokens: 101 },
      { temperature: 0.5, maxTokens: 100 },
      ['max_tokens_clamped'],
    ],
    [
      'a model whose limit nobody knows',
      UNKNOWN,
      { temperature: 0.7, maxTokens: 500_000 },
      { temperature: 0.7, maxTokens: 500_000 },
      [],
    ],
    [
      'too much of both',
      SMALL,
      { temperature: 2, maxTokens: 500 },
      { temperature: 1, maxTokens: 100 },
      ['temperature_clamped', 'max_tokens_clamped'],
    ],
  ])('fits the parameters to %s', (_, model, options, sent, codes) => {
    const { warnings, ...applied } = adaptParameters(
      { ...options, isTemperatureGiven: true, isMaxTokensGiven: true },
      model,
    );
    expect(applied).toEqual({ ...sent, reasoningTokens: 0 });
    expect(warnings.map(({ code }) => code)).toEqual(codes);
  });

  test('warns about each parameter and says what was really sent', () => {
    const [temperature, tokens] = adaptParameters(
      { temperature: 2, isTemperatureGiven: true, isMaxTokensGiven: true, maxTokens: 500 },
      SMALL,
    ).warnings;
    expect(temperature?.message).toMatch(/from 0\.1 to 1; 1 was sent/);
    expect(tokens?.message).toContain('100 tokens');
  });

  test('leaves the options unchanged for the next model', () => {
    const options = { temperature: 2, isTemperatureGiven: true, isMaxTokensGiven: true, maxTokens: 500 };
    adaptParameters(options, SMALL);
    expect(options).toEqual({ temperature: 2, isTemperatureGiven: true, isMaxTokensGiven: true, maxTokens: 500 });
  });

  test.each([
    ['left out', REASONING, undefined],
    ['fitted', { ...SMALL, accepts: { temperature: { min: 1, max: 1 } } }, 1],
    ['sent', OPENAI, 0.7],
  ])('does not warn about a temperature that the caller did not give, when it is %s', (_, model, temperature) => {
    expect(
      adaptParameters({ temperature: 0.7, isTemperatureGiven: false, isMaxTokensGiven: true, maxTokens: 100 }, model),
    ).toEqual({ temperature, maxTokens: 100, reasoningTokens: 0, warnings: [] });
  });

  test('makes room for thought at the effort asked', () => {
    const model = {
      ...OPENAI,
      reasoning: {
        efforts: ['none' as const, 'high' as const],
        default: 'none' as const,
        mandatory: false,
        allowance: 2000,
      },
    };
    const options = { temperature: 0.7, isTemperatureGiven: false, isMaxTokensGiven: false, maxTokens: 500 };
    expect(adaptParameters(options, model)).toMatchObject({ maxTokens: 500, reasoningTokens: 0 });
    expect(adaptParameters({ ...options, extra: { reasoning_effort: 'high' } }, model)).toMatchObject({
      maxTokens: 2500,
      reasoningTokens: 2000,
    });
  });
});
