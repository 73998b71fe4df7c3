import { Money } from '../../common/money';
import { Result } from '../evals/result.entity';
import { checkedAnswer } from './checked-answer';

const RESULT = {
  output: 'Paris',
  latencyMs: 400,
  cost: Money.of('0.1'),
  outputTokens: 50,
  error: null,
  details: { finishReason: 'stop', ttftMs: 120, reasoningTokens: 43 },
};
const looked = (changes: object) => checkedAnswer(Object.assign(new Result(), RESULT, changes));

describe('What checks look at', () => {
  it('is the text with what was measured, its tokens without those of reasoning', () => {
    expect(looked({})).toEqual({
      text: 'Paris',
      finishReason: 'stop',
      latencyMs: 400,
      firstTokenMs: 120,
      cost: RESULT.cost,
      tokens: 7,
    });
  });

  it('has no tokens less than none, whatever a vendor counts', () => {
    expect(looked({ outputTokens: 5 })?.tokens).toBe(0);
  });

  it('is nothing where the model failed', () => {
    expect(looked({ error: { code: 'timeout', message: '', retryable: true } })).toBeUndefined();
  });
});
