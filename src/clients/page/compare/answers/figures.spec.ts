import { elapsedText } from '../../../client/figure-text';
import type { Result } from '../../../client/client';
import { figuresOf, liveFigures, money } from './figures';

const RESULT = {
  model: 'a',
  provider: 'p',
  output: 'x',
  latency_ms: 1210,
  cost_usd: '0.00002805',
  input_tokens: 7,
  output_tokens: 1045,
  total_tokens: 1052,
  details: { ttft_ms: 310, tokens_per_second: 59.6, attempts: 1, tokens: { reasoning: 0 } },
} as unknown as Result;
const textsOf = (result: unknown) => {
  const { latency, firstText, speed, tokens, cost, attempts } = figuresOf(result as Result | undefined);
  return [latency.text, firstText.text, speed.text, tokens.text, cost.text, attempts];
};

describe('figuresOf', () => {
  it('shows what is known', () =>
    expect(textsOf(RESULT)).toEqual(['1.21 s', '310 ms', '60 tok/s', '7 + 1,045', '$0.0000281', undefined]));
  it('has all digits in the titles', () => {
    expect(figuresOf(RESULT)).toMatchObject({
      latency: { title: '1,210 ms' },
      cost: { title: '$0.00002805' },
      speed: { title: '59.6 output tokens per second' },
    });
  });
  it('shows dashes before there is a result', () =>
    expect(textsOf(undefined)).toEqual(['–', '–', '–', '–', '–', undefined]));
  it('shows dashes for what an older service does not say', () => {
    expect(textsOf({ ...RESULT, details: undefined })).toEqual([
      '1.21 s',
      '–',
      '–',
      '7 + 1,045',
      '$0.0000281',
      undefined,
    ]);
    expect(textsOf({ model: 'a' })).toEqual(['–', '–', '–', '–', '–', undefined]);
    expect(textsOf({ ...RESULT, latency_ms: 'soon', details: { ttft_ms: null, tokens_per_second: null } })).toEqual([
      '–',
      '–',
      '–',
      '7 + 1,045',
      '$0.0000281',
      undefined,
    ]);
  });
  it('marks what a shared result leaves out', () => {
    const figures = figuresOf({ model: 'a', latency_ms: 5 } as unknown as Result);
    expect(
      [figures.latency, figures.firstText, figures.speed, figures.tokens, figures.cost].map(({ isAbsent }) => isAbsent),
    ).toEqual([undefined, true, true, true, true]);
    expect(figuresOf(undefined).cost.isAbsent).toBeUndefined();
  });
  it('leaves out the times that an answer that came as a whole does not have', () => {
    const whole = figuresOf({
      ...RESULT,
      details: { ...RESULT.details, ttft_ms: null, tokens_per_second: null },
    } as unknown as Result);
    expect([whole.firstText.isAbsent, whole.speed.isAbsent, whole.latency.isAbsent]).toEqual([true, true, undefined]);
  });
  it('shows a failed model without tokens and speed', () => {
    const failed = {
      ...RESULT,
      latency_ms: 900,
      cost_usd: '0',
      error: { code: 'unavailable' },
      details: { ttft_ms: null, tokens_per_second: null, attempts: 3 },
    };
    expect(textsOf(failed)).toEqual(['900 ms', '–', '–', '–', '$0', 'after 3 tries']);
  });
  it('shows no speed of an answer without text', () => {
    expect(
      textsOf({ ...RESULT, output: '', output_tokens: 0, details: { ttft_ms: null, tokens_per_second: 0 } }),
    ).toEqual(['1.21 s', '–', '–', '7 + 0', '$0.0000281', undefined]);
  });
  it.each([
    [1000, '7 + 45', '1,000'],
    [1045, '7 + 0', '1,045'],
    [2000, '7 + 0', '2,000'],
    [0, '7 + 1,045', undefined],
  ])('counts %i tokens of thought apart from the text', (reasoning, text, thought) => {
    const figures = figuresOf({
      ...RESULT,
      details: { ...RESULT.details, tokens: { reasoning } },
    } as unknown as Result);
    expect([figures.tokens.text, figures.thought?.text]).toEqual([text, thought]);
  });
});

describe('money', () => {
  it.each([
    ['0.12345678901234567890123', '$0.123', '$0.12345678901234567890123'],
    ['0', '$0', '$0'],
    [undefined, '–', 'not known yet'],
  ])('of %p is %s', (exact, text, title) => {
    expect(money(exact)).toEqual({ text, title });
  });
});

describe('elapsedText', () => {
  it('counts in tenths', () => expect([elapsedText(2149), elapsedText(-3)]).toEqual(['2.1 s', '0.0 s']));
});

describe('liveFigures', () => {
  it('estimates the speed of an answer while it is written, and shows its first text', () => {
    const texts = (text: string, firstTextMs: number | undefined, elapsedMs: number) =>
      Object.values(liveFigures({ text, firstTextMs }, elapsedMs)).map((figure) =>
        typeof figure === 'object' ? figure.text : figure,
      );
    expect(texts('', undefined, 40)).toEqual(['0.0 s', '–', '–', '–', undefined, '–', undefined]);
    expect(texts('four'.repeat(30), 250.4, 2000)).toEqual([
      '2.0 s',
      '250 ms',
      '≈ 15 tok/s',
      '≈ 30',
      undefined,
      '–',
      undefined,
    ]);
    expect(texts('a', 0, 0)).toEqual(['0.0 s', '0 ms', '≈ 10 tok/s', '≈ 1', undefined, '–', undefined]);
  });
});
