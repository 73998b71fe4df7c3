import { Money } from '../../../common/money';
import type { Turn } from '../../../common/turn';
import type { CompareCommand } from '../../execution/compare.types';
import { quotesFor, totalMaxCost } from '../../execution/quote';
import type { PricedModel } from '../../models/models.service';
import { JUDGE_SETTINGS, judgePrompt } from './judge-prompt';
import { JudgingEstimate } from './judging-estimate';

const RATES = { input: Money.of('1'), cachedInput: Money.of('1'), cacheWrite: Money.of('1'), output: Money.of('2') };
const JUDGE = {
  price: RATES,
  model: { vendor: 'simulator', maxOutputTokens: null, accepts: { temperature: null } },
} as unknown as PricedModel;
const RUBRIC = { type: 'rubric', name: 'right', criterion: 'It is right.', judge: 'judge' } as const;
const commandWith = (system?: string) =>
  ({ models: ['a', 'b', 'c'], options: { maxTokens: 200, extra: { system } } }) as unknown as CompareCommand;

/** The most that one verdict on any answer costs. */
function mostOf(question: string, expected: string | null): Money {
  const answers = ['字'.repeat(30_000)];
  const prompt = judgePrompt(
    { mark: '3f9a1c07', criterion: RUBRIC.criterion, question, expected, answers },
    { scale: 'pass_fail' },
  );
  return totalMaxCost(quotesFor([JUDGE], { text: prompt, warnings: [] }, JUDGE_SETTINGS), 1);
}

const asked = (text: string, ...history: Turn[]) => ({ text, history, warnings: [] });
const rowWith = (expected: string | null) => ({ input: 'q', expected, variables: null });

describe('The estimate of a judge before there are answers', () => {
  test('is the cost of the longest answers of all models, and of an examination by the dearest question', () => {
    const estimate = new JudgingEstimate(JUDGE, RUBRIC, commandWith());
    estimate.add(asked('Why is the sky blue?'), rowWith('Light scatters.'), 7);
    estimate.add(asked('Why?'), rowWith(null), 3);
    const [short, long] = [mostOf('Why?', null), mostOf('Why is the sky blue?', 'Light scatters.')];
    expect(String(estimate.most)).toBe(String(short.plus(long).times('3')));
    expect(String(estimate.examination)).toBe(String(long.times('8')));
  });

  test('has the system prompt in the question, as judges read it', () => {
    const estimate = new JudgingEstimate(JUDGE, RUBRIC, commandWith('Be brief.'));
    estimate.add(asked('Why?'), rowWith(null), 3);
    expect(String(estimate.most)).toBe(String(mostOf('Be brief.\n\nWhy?', null).times('3')));
  });

  test('has the turns in the question, each with its role', () => {
    const estimate = new JudgingEstimate(JUDGE, RUBRIC, commandWith('Be brief.'));
    const turns: Turn[] = [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hi!' },
    ];
    estimate.add(asked('Why?', ...turns), rowWith(null), 3);
    const question = 'Be brief.\n\nUser: Hello\n\nAssistant: Hi!\n\nUser: Why?';
    expect(String(estimate.most)).toBe(String(mostOf(question, null).times('3')));
  });

  // By hand: 3 × (7 + 250 + 100 tokens of input at $1 and 200 of output at $2 a million).
  test('is likely far less, as answers are half as long as allowed', () => {
    expect(String(new JudgingEstimate(JUDGE, RUBRIC, commandWith()).add(asked('Why?'), rowWith(null), 7))).toBe(
      '0.002271',
    );
  });
});
