import type { Eval } from '../client/client';
import { answersTable } from './answers-table';
import { tabSeparated } from './table';

const answer = (model: string, more: object = {}) => ({
  model,
  output: 'Yes\n',
  latency_ms: 10,
  input_tokens: 1,
  output_tokens: 2,
  cost_usd: '0.1',
  ...more,
});
const failure = (model: string) =>
  answer(model, {
    output: '',
    error: { code: 'rejected', message: 'No.' },
    checks: [{ name: 'c', outcome: 'skipped' }],
  });
const table = (more: object) => tabSeparated(answersTable({ models: ['a', 'b'], ...more } as unknown as Eval));

describe('The answers for programs', () => {
  it('are as they always were, without samples and checks', () => {
    expect(
      table({ results: [answer('a', { details: { ttft_ms: 5, tokens_per_second: 3.5 } }), failure('b')] }),
    ).toEqual([
      'model\tstatus\tlatency_ms\tttft_ms\ttokens_per_second\tinput_tokens\toutput_tokens\tcost_usd\toutput',
      'a\tok\t10\t5\t3.5\t1\t2\t0.1\tYes\\n',
      'b\trejected\t10\t\t\t1\t2\t0.1\t',
    ]);
    expect(table({ results: [answer('a'), answer('b')], checks: { definitions: [] } })[0]).not.toContain('checks');
  });

  it('have effort, thought and the name of a substitute where some answer has them', () => {
    const thought = answer('a', {
      details: { applied: { reasoning_effort: 'low' }, tokens: { reasoning: 1 }, answered_by: 'c' },
      warnings: [{ code: 'model_substituted', message: '' }],
    });
    expect(
      table({
        results: [thought, answer('b', { details: { applied: {}, tokens: { reasoning: 0 }, answered_by: 'b-2' } })],
      }).map((line) => line.split('\t').slice(5).join(' ')),
    ).toEqual([
      'input_tokens output_tokens cost_usd effort reasoning_tokens answered_by output',
      '1 2 0.1 low 1 c Yes\\n',
      '1 2 0.1  0  Yes\\n',
    ]);
  });

  it('say which sample each is, in rounds of all models, and what its checks say', () => {
    const lines = table({
      results: ['a', 'b', 'a', 'b'].map((model, i) =>
        i === 3
          ? failure(model)
          : answer(model, {
              checks: [
                { name: 'c', outcome: i === 2 ? 'fail' : 'pass' },
                { name: 'd', outcome: 'pass' },
              ],
            }),
      ),
      checks: { definitions: [{}, {}] },
    });
    expect(lines.map((line) => line.split('\t')).map((cells) => [cells[0], cells[1], cells[2], cells[9]])).toEqual([
      ['model', 'sample', 'status', 'checks'],
      ['a', '1', 'ok', 'c pass, d pass'],
      ['b', '1', 'ok', 'c pass, d pass'],
      ['a', '2', 'ok', 'c fail, d pass'],
      ['b', '2', 'rejected', 'c skipped'],
    ]);
  });

  it('give way in the text alone', () => {
    const { head, flexible } = answersTable({ models: ['a'], results: [answer('a'), answer('a')] } as unknown as Eval);
    expect(head[flexible ?? -1]).toBe('output');
  });
});
