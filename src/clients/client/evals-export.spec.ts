import { evalsAsCsv, evalsAsJsonl } from './evals-export';

const line = (prompt: string, more = {}) => ({
  eval_id: 'eval_1',
  created_at: '2026-11-24T05:00:00.000Z',
  prompt,
  models: ['sim-swift', 'sim-sage'],
  meta: { fastest_model: 'sim-swift', total_cost_usd: '0.00000000000001' },
  ...more,
});

async function* listOf(prompts: string[], read: string[] = []) {
  for (const prompt of prompts) {
    read.push(prompt);
    yield line(prompt);
  }
}

const textOf = async (lines: AsyncIterable<string>) => {
  let text = '';
  for await (const each of lines) text += each;
  return text;
};
const HEAD = 'eval_id,created_at,prompt,models,fastest_model,total_cost_usd,free,charge_usd,starred,note\r\n';

describe('The export of evals', () => {
  it.each([
    ['Hi', 'Hi'],
    ['a, b', '"a, b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\r\nlines', '"two\r\nlines"'],
    ['a\nb', '"a\nb"'],
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['-2+3', "'-2+3"],
    ['-2', '-2'],
    ['\tx', "'\tx"],
    ['\r=1', '"\'\r=1"'],
    ['\n=1', '"\'\n=1"'],
    ['=HYPERLINK("x")', '"\'=HYPERLINK(""x"")"'],
  ])('writes the prompt %j as the cell %j', async (prompt, cell) => {
    expect(await textOf(evalsAsCsv(listOf([prompt])))).toBe(
      `${HEAD}eval_1,2026-11-24T05:00:00.000Z,${cell},sim-swift sim-sage,sim-swift,0.00000000000001,,,,\r\n`,
    );
  });

  it('has the charge, the star and the note where they are included', async () => {
    const evals = (async function* () {
      yield line('Hi', { details: { charge_usd: '0', free: true, failed_models: [] }, starred: false, note: '=cmd' });
    })();
    expect((await textOf(evalsAsCsv(evals))).split('\r\n')[1]).toMatch(/,true,0,false,'=cmd$/);
  });

  it('is the JSON of the API, one eval on one line, with all digits', async () => {
    const text = await textOf(evalsAsJsonl(listOf(['one\ntwo'])));
    expect(text.split('\n')).toEqual([expect.stringContaining('"total_cost_usd":0.00000000000001'), '']);
    expect(JSON.parse(text)).toMatchObject({ prompt: 'one\ntwo' });
  });

  it.each([
    [0, 0],
    [1, 1],
    [2, 2],
    [9, 3],
  ])('reads at most %i evals', async (limit, count) => {
    const read: string[] = [];
    expect((await textOf(evalsAsJsonl(listOf(['a', 'b', 'c'], read), limit))).split('\n').length - 1).toBe(count);
    expect(read).toHaveLength(count);
  });
});
