import type { Effort } from '../../common/effort';
import type { Model } from '../models/catalog';
import type { CompareSettings } from './adapt-parameters';
import { limitOutput } from './limit-output';

type Reasoning = NonNullable<Model['reasoning']>;

const EFFORTS: Effort[] = ['none', 'low', 'high'];
const thinking = (byDefault: Effort | null, more: Partial<Reasoning> = {}): Reasoning => ({
  efforts: EFFORTS,
  default: byDefault,
  mandatory: false,
  allowance: 2000,
  ...more,
});
const ALWAYS = thinking(null, { mandatory: true, allowance: 3000 });

/** The options of a caller who gave `max_tokens` or `reasoning_tokens`, or not. */
function given(maxTokens?: number, reasoningTokens?: number): CompareSettings {
  return {
    temperature: 0.7,
    isTemperatureGiven: false,
    maxTokens: maxTokens ?? 500,
    isMaxTokensGiven: maxTokens !== undefined,
    ...(reasoningTokens !== undefined && { extra: { reasoning_tokens: reasoningTokens } }),
  };
}

function limited(
  options: CompareSettings,
  reasoning: Reasoning | undefined,
  effort?: Effort,
  maxOutputTokens: number | null = null,
) {
  const warnings: { code: string; message: string }[] = [];
  const { maxTokens, reasoningTokens } = limitOutput(
    options,
    { reasoning, maxOutputTokens },
    effort,
    warnings as never,
  );
  return { sent: [maxTokens, reasoningTokens], messages: warnings.map(({ code, message }) => `${code}: ${message}`) };
}

describe('The output limit of a call', () => {
  test.each<[string, CompareSettings, Reasoning | undefined, Effort | undefined, [number, number]]>([
    ['has no default room for a model that does not think', given(), undefined, undefined, [500, 0]],
    ['has it for one that thinks without being asked', given(), thinking('medium'), undefined, [2500, 2000]],
    ['has it as the catalog says', given(), thinking('medium', { allowance: 700 }), undefined, [1200, 700]],
    ['has it for one that always thinks', given(), ALWAYS, undefined, [3500, 3000]],
    ['has it for one that always thinks, whatever is asked', given(), ALWAYS, 'none', [3500, 3000]],
    ['has it for one that thinks at the effort asked', given(), thinking('none'), 'low', [2500, 2000]],
    ['has it for one of unknown default at the effort asked', given(), thinking(null), 'high', [2500, 2000]],
    ['has none for one that does not think by default', given(), thinking('none'), undefined, [500, 0]],
    ['has none for one of which nothing is known', given(), thinking(null), undefined, [500, 0]],
    ['has none where thought is switched off', given(), thinking('high'), 'none', [500, 0]],
    ['is max_tokens to the token', given(500), thinking('high'), undefined, [500, 0]],
    ['is max_tokens to the token, also for one that always thinks', given(16), ALWAYS, 'high', [16, 0]],
    ['is max_tokens and the room that was asked for', given(300, 1000), thinking('high'), undefined, [1300, 1000]],
    ['is the default and the room that was asked for', given(undefined, 1000), ALWAYS, undefined, [1500, 1000]],
    ['is the default alone for a room of 0', given(undefined, 0), ALWAYS, 'high', [500, 0]],
    ['has the room asked for where nothing is known', given(undefined, 64), thinking(null), undefined, [564, 64]],
    ['has no room that nothing can use, because thought is off', given(300, 1000), thinking('high'), 'none', [300, 0]],
    [
      'has no room that nothing can use, because thought is off by default',
      given(300, 1000),
      thinking('none'),
      undefined,
      [300, 0],
    ],
    [
      'has no room that nothing can use, because the model does not think',
      given(300, 1000),
      undefined,
      undefined,
      [300, 0],
    ],
  ])('%s', (_, options, reasoning, effort, sent) => {
    expect(limited(options, reasoning, effort)).toEqual({ sent, messages: [] });
  });

  const LOWERED = 'max_tokens_clamped: This model produces at most 1000 tokens; max_tokens was lowered to that limit.';
  const both = (room: number) =>
    `max_tokens_clamped: This model produces at most 1000 tokens, thought included; max_tokens and reasoning_tokens together were lowered to that limit, with ${room} for thought.`;
  test.each<[string, CompareSettings, Reasoning | undefined, [number, number], string[]]>([
    ['keeps the text, cuts the room and names both', given(600, 500), ALWAYS, [1000, 400], [both(400)]],
    ['keeps nothing for thought where the text takes all', given(1000, 1), ALWAYS, [1000, 0], [both(0)]],
    ['cuts the text as well', given(1001, 16_384), ALWAYS, [1000, 0], [both(0)]],
    ['is not exceeded by a sum that just fits', given(600, 400), ALWAYS, [1000, 400], []],
    ['cuts a default room without a word', given(), ALWAYS, [1000, 500], []],
    ['speaks of max_tokens alone where no room was asked for', given(1001), ALWAYS, [1000, 0], [LOWERED]],
    ['speaks of max_tokens alone where the model does not think', given(1001, 5), undefined, [1000, 0], [LOWERED]],
    ['ignores a room for a model that does not think', given(1000, 5), undefined, [1000, 0], []],
  ])('of a model that produces at most 1,000 tokens %s', (_, options, reasoning, sent, messages) => {
    expect(limited(options, reasoning, undefined, 1000)).toEqual({ sent, messages });
  });
});
