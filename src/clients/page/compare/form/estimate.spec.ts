import type { Estimate } from '../../../client/client';
import { estimateText, modelEstimateText } from './estimate';

const range = (least: string, most: string) => ({ least, most });
const ESTIMATE: Estimate = {
  models: [
    {
      model: 'a',
      provider: 'p',
      estimated_input_tokens: 1200,
      max_output_tokens: 500,
      cost_usd: range('0.0002', '0.0061'),
      charge_usd: range('0.00028', '0.00854'),
    },
  ],
  cost_usd: range('0.0002', '0.0061'),
  charge_usd: range('0.00028', '0.00854321'),
  free: false,
  free_evals_remaining: 0,
};

describe('estimateText', () => {
  it('says what is charged', () => {
    const { text, title, warning } = estimateText(ESTIMATE, false);
    expect([text, warning]).toEqual(['$0.00028 to $0.00854', undefined]);
    expect(title).toContain('$0.00854321 at most');
  });
  it('says that it is free', () =>
    expect(estimateText({ ...ESTIMATE, free: true, free_evals_remaining: 1096 }, true)).toMatchObject({
      text: 'free, 1,096 left',
      warning: undefined,
    }));
  it('says of models without a price that they cost nothing, without a warning', () => {
    const nothing = { ...ESTIMATE, cost_usd: range('0', '0'), charge_usd: range('0', '0') };
    expect(estimateText(nothing, true, 5)).toMatchObject({ text: 'costs nothing', warning: undefined });
    expect(
      modelEstimateText(
        { ...nothing, models: ESTIMATE.models.map((model) => ({ ...model, charge_usd: range('0', '0') })) },
        'a',
      ),
    ).toBe('costs nothing: about 1,200 tokens in, at most 500 out');
  });
  it('warns when the free evals are used up', () =>
    expect(estimateText(ESTIMATE, true).warning).toBe('No free evals left: at most $0.00854 will be charged.'));
  it('says that more than one sample is never free, where the models are', () => {
    expect(estimateText({ ...ESTIMATE, free_evals_remaining: 9 }, true, 5).warning).toBe(
      'More than one sample is never free: at most $0.00854 will be charged.',
    );
    expect(estimateText({ ...ESTIMATE, free_evals_remaining: 9 }, true, 2).warning).toBe(
      'More than one sample is never free: at most $0.00854 will be charged.',
    );
    expect(estimateText({ ...ESTIMATE, free_evals_remaining: 9 }, true, 1).warning).toBeUndefined();
    expect(estimateText({ ...ESTIMATE, free_evals_remaining: 9 }, false, 5).warning).toBeUndefined();
  });
  it('does not warn of free evals where a model is never free', () =>
    expect(estimateText({ ...ESTIMATE, free_evals_remaining: 3 }, false).warning).toBeUndefined());
});

describe('modelEstimateText', () => {
  it.each([
    [false, '$0.00028 to $0.00854: about 1,200 tokens in, at most 500 out'],
    [true, '$0.0002 to $0.0061, free: about 1,200 tokens in, at most 500 out'],
  ])('when free is %p: %s', (free, text) => {
    expect(modelEstimateText({ ...ESTIMATE, free }, 'a')).toBe(text);
  });
  it('knows no other model', () => expect(modelEstimateText(ESTIMATE, 'b')).toBeUndefined());
});
