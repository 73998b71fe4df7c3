import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startMcs } from '../../support/client-package';
import type { Json } from '../../support/api';
import { createCaller } from '../../support/factories';
import { mcs } from '../../support/mcs';
import { temporaryFolder } from '../../support/temporary-folder';

const EXAMPLE = join(__dirname, '../../../docs/examples/promptfooconfig.yaml');

/** `mcs import` without a key and without a service. */
async function imported(...args: string[]) {
  return await (
    await startMcs(['import', ...args], { environment: {} })
  ).ended;
}

const linesOf = (folder: string): Json[] =>
  readFileSync(join(folder, 'dataset.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

/** A folder with a configuration that names this file. */
function folderNaming(reference: string): string {
  const folder = join(temporaryFolder(), 'config');
  mkdirSync(folder);
  writeFileSync(join(folder, '../secret.txt'), 'a secret of the machine');
  writeFileSync(
    join(folder, 'config.yaml'),
    `prompts: ['{{text}}']\nproviders: [openai:gpt-6-luna]\ntests: [{vars: {text: ${JSON.stringify(reference)}}}, {vars: {text: b}}]\n`,
  );
  return folder;
}

describe('mcs import', () => {
  it('writes the dataset and an experiment for each prompt of the shipped example, all of it converted', async () => {
    const folder = join(temporaryFolder(), 'new', 'folder');
    const { code, out, errors } = await imported(EXAMPLE, '-o', folder, '-m', 'sim-swift, sim-quill');
    expect([code, errors, out.split('\n')[0], readdirSync(folder).sort()]).toEqual([
      0,
      '',
      'promptfooconfig.yaml (promptfoo)',
      ['dataset.jsonl', 'experiment-2.json', 'experiment.json'],
    ]);
    expect(out).not.toMatch(/Not converted|difference/);
    expect([linesOf(folder).length, linesOf(folder)[0]]).toEqual([
      32,
      { input: 'I was charged twice for order 4471.', expected: 'billing' },
    ]);
    const body: Json = JSON.parse(readFileSync(join(folder, 'experiment.json'), 'utf8'));
    expect(body).toMatchObject({
      name: 'Support tickets: prompt 1',
      models: ['sim-swift', 'sim-quill'],
      checks: [
        { type: 'equals', value: '{expected}', trim: false },
        { type: 'latency', max_ms: 5000 },
      ],
      parallel: 4,
    });
    const caller = await createCaller();
    const { prompt, models, checks } = body;
    expect(
      (await caller.post('/api/v1/compare/estimate', { prompt, models, checks, input: linesOf(folder)[0].input }))
        .status,
    ).toBe(200);
  });

  it('writes a dataset for each prompt where these have different variables, with a row for each file of a name with *', async () => {
    const folder = join(temporaryFolder(), 'config');
    mkdirSync(join(folder, 'articles/more'), { recursive: true });
    for (const name of ['b.log', 'a.log', 'more/c.log'])
      writeFileSync(join(folder, 'articles', name), `text of ${name}`);
    writeFileSync(
      join(folder, 'config.yaml'),
      "prompts: ['Sum up {{text}}', 'Explain {{concept}}']\ntests: [{vars: {text: 'file://articles/*'}}, {vars: {concept: gravity}}]\n",
    );
    const { code, out } = await imported(join(folder, 'config.yaml'), '-o', join(folder, 'new'), '-m', 'sim-swift');
    expect([code, out.split('\n').slice(1, 3)]).toEqual([
      0,
      [`  ${join(folder, 'new/dataset.jsonl')}: 2 rows`, `  ${join(folder, 'new/dataset-2.jsonl')}: 1 row`],
    ]);
    expect(linesOf(join(folder, 'new'))).toEqual([
      { variables: { text: 'text of a.log' } },
      { variables: { text: 'text of b.log' } },
    ]);
    expect(readFileSync(join(folder, 'new/dataset-2.jsonl'), 'utf8')).toBe('{"variables":{"concept":"gravity"}}\n');
    expect(JSON.parse(readFileSync(join(folder, 'new/experiment-2.json'), 'utf8'))).toMatchObject({
      prompt: 'Explain {concept}',
      dataset: 'dataset-2.jsonl',
    });
  });

  it('overwrites nothing, and then leaves no file behind', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'experiment.json'), 'mine');
    const { code, errors } = await imported(EXAMPLE, '-o', folder);
    expect([code, errors, readdirSync(folder), readFileSync(join(folder, 'experiment.json'), 'utf8')]).toEqual([
      2,
      `mcs: ${join(folder, 'experiment.json')} exists. Choose another folder with --output.\n`,
      ['experiment.json'],
      'mine',
    ]);
  });

  it.each<[string, string, RegExp]>([
    ['file:///etc/passwd', '', /not below the folder/],
    ['file://../secret.txt', '', /not below the folder/],
    ['file://link.txt', 'link.txt', /cannot be read: it is outside of the folder/],
    ['file://links/secret.txt', 'links', /cannot be read: it is outside of the folder/],
    ['file://folder.txt', 'folder.txt', /cannot be read: it is no ordinary file/],
    ['file://missing.txt', '', /cannot be read/],
  ])('does not read %s', async (reference, name, problem) => {
    const folder = folderNaming(reference);
    if (name === 'folder.txt') mkdirSync(join(folder, name));
    else if (name !== '') symlinkSync(name === 'links' ? '..' : '../secret.txt', join(folder, name));
    const refused = await imported(join(folder, 'config.yaml'), '-o', folder);
    expect([refused.code, refused.out, refused.errors]).toEqual([
      2,
      expect.stringMatching(problem),
      'Nothing was written. To write the rest: --skip-unconverted\n',
    ]);
    expect(readdirSync(folder)).not.toContain('dataset.jsonl');
    expect((await imported(join(folder, 'config.yaml'), '-o', folder, '--skip-unconverted')).code).toBe(0);
    expect(linesOf(folder)).toEqual([{ variables: { text: 'b' } }]);
  });

  it('reads a file below the folder, also by a link within it', async () => {
    const folder = folderNaming('file://link.txt');
    mkdirSync(join(folder, 'texts'));
    writeFileSync(join(folder, 'texts/a.txt'), 'A long text');
    symlinkSync('texts/a.txt', join(folder, 'link.txt'));
    expect([(await imported(join(folder, 'config.yaml'), '-o', folder)).code, linesOf(folder)[0]]).toEqual([
      0,
      { variables: { text: 'A long text' } },
    ]);
  });

  it('makes an experiment of a chat, which the service takes with its turns', async () => {
    const folder = temporaryFolder();
    const history = [
      { role: 'user', content: 'I am {name}.' },
      { role: 'assistant', content: 'Hello.' },
    ];
    const prompt = JSON.stringify([...history, { role: 'user', content: '{{question}}' }]).replace(
      '{name}',
      '{{name}}',
    );
    const tests = [{ vars: { name: 'Ada', question: 'Who am I?' } }];
    writeFileSync(join(folder, 'chat.json'), JSON.stringify({ prompts: [prompt], tests }));
    expect((await imported(join(folder, 'chat.json'), '-m', 'sim-swift', '-o', folder)).code).toBe(0);
    const ran = await mcs(await createCaller(), ['experiment', 'run', folder, '--max-cost', '1', '--wait', '--json']);
    expect([ran.code, JSON.parse(ran.out).experiment]).toMatchObject([
      0,
      { prompt: '{question}', options: { history }, state: 'finished' },
    ]);
    expect(ran.errors).not.toContain('keeps');
  });

  it('refuses what it does not know, and what would harm a terminal, in one sentence', async () => {
    const folder = temporaryFolder();
    const write = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    expect((await imported(join(folder, 'none.yaml'))).errors).toMatch(/^mcs: There is no file .*none\.yaml\.\n$/);
    expect(await imported(write('a.json', '{"a": 1}'))).toMatchObject({
      code: 2,
      out: '',
      errors: expect.stringMatching(/^mcs: a\.json is no configuration of promptfoo.*\n$/),
    });
    expect(await imported(write('b.yaml', `prompts: ${'x'.repeat(3_000_000)}`))).toMatchObject({
      code: 2,
      errors: 'mcs: b.yaml is YAML of more than 2 MiB. Move its tests to a JSONL file.\n',
    });
    const { out } = await imported(write('c.yaml', 'prompts: ["{{ \\e[2J }}"]'));
    expect(out).toContain('uses {{\u241b[2J}}');
  });
});
