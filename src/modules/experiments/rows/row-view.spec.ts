import { Money } from '../../../common/money';
import type { EvalAnswers } from '../../evals/eval-answers';
import { rowView, type ListedAttempt } from './row-view';

const TEXTS = { rowId: 'r', input: 'in', expected: null, group: null, variables: null, history: null, checks: null };
const FAILURE = { code: 'timeout' as const, message: 'late', retryable: true };

/** An eval in which models with a null output failed. */
function evalOf(id: string, outputs: Record<string, string | null>): EvalAnswers {
  const results = Object.values(outputs).map((output, position) => ({
    position,
    output: output ?? '',
    latencyMs: 1,
    cost: Money.zero,
    error: output === null ? FAILURE : null,
    checks: null,
  }));
  return { id, input: 'of the eval', models: Object.keys(outputs), checks: null, results };
}

function viewOf(attempts: Partial<ListedAttempt>[], evals: EvalAnswers[], texts: typeof TEXTS | undefined = TEXTS) {
  const listed = attempts.map((one, index) => ({
    attempt: index + 1,
    state: 'done' as const,
    evalId: `e${index + 1}`,
    error: null,
    ...one,
  }));
  return rowView({ rowNo: 0, rowId: 'r', group: null, cost: Money.zero, attempts: listed }, texts, evals, {
    models: ['a', 'b'],
    samples: 1,
  });
}

const outputsOf = ({ results }: ReturnType<typeof viewOf>) =>
  results.map(({ model, output, error }) => [model, error?.code ?? output]);

describe('A row', () => {
  test('takes the answer of each model from the latest eval in which it answered', () => {
    expect(
      outputsOf(
        viewOf([{}, {}, {}], [evalOf('e1', { a: 'A', b: null }), evalOf('e2', { b: 'B' }), evalOf('e3', { b: null })]),
      ),
    ).toEqual([
      ['a', 'A'],
      ['b', 'B'],
    ]);
    expect(outputsOf(viewOf([{}, {}], [evalOf('e1', { a: 'A', b: null }), evalOf('e2', { b: null })]))).toEqual([
      ['a', 'A'],
      ['b', 'timeout'],
    ]);
  });

  test('is done although a further attempt failed or runs', () => {
    expect(viewOf([{}, { state: 'failed', error: { code: 'all_models_failed' } }], [])).toMatchObject({
      state: 'done',
      attempt: 2,
      eval_id: 'e1',
    });
    expect(viewOf([{}, { state: 'failed', error: { code: 'all_models_failed' } }], [])).not.toHaveProperty('error');
    expect(viewOf([{ state: 'dealt' }], [])).toMatchObject({ state: 'running', eval_id: null });
    expect(viewOf([{ state: 'failed', error: { code: 'x' } }], [])).toMatchObject({
      state: 'failed',
      error: { code: 'x' },
    });
  });

  test('has the input of the eval where the data set is gone', () => {
    expect([
      viewOf([{}], [evalOf('e1', { a: 'A', b: 'B' })]).input,
      rowView(
        {
          rowNo: 0,
          rowId: 'r',
          group: null,
          cost: Money.zero,
          attempts: [{ attempt: 1, state: 'done', evalId: 'e1', error: null }],
        },
        undefined,
        [evalOf('e1', { a: 'A', b: 'B' })],
        { models: ['a', 'b'], samples: 1 },
      ).input,
    ]).toEqual(['in', 'of the eval']);
  });
});
