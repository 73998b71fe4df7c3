import { convertExport } from './convert';
import type { ImportedExperiment, ImportOptions } from '../types';

const imported = (text: string, options: ImportOptions = {}) =>
  convertExport(text, { name: 'promptfooconfig.yaml', ...options });
const problemsOf = ({ unconverted }: ImportedExperiment) =>
  unconverted.map(({ place, problem }) => `${place} ${problem}`);

describe('A hostile file', () => {
  const config = (vars: unknown) => JSON.stringify({ prompts: ['{{q}}'], tests: [{ vars }] });

  it.each([
    'file:///etc/passwd',
    'file://../../x',
    'file://a/../../x',
    'file://./../x',
    'file://..\\x',
    'file://C:/x.txt',
    'file://~/x.txt',
    'file://%2e%2e/x.txt',
    'file://a\0.txt',
    'file:////x.txt',
  ])('does not name %j and have it read', async (reference) => {
    const read: string[] = [];
    const found = await imported(config({ q: reference }), {
      readFile: (path) => String(read.push(path)),
      models: ['m'],
    });
    expect([read, found.rows, problemsOf(found)]).toEqual([
      [],
      [],
      [`tests[0].vars names ${reference}, which is not below the folder of this file and was not read`],
    ]);
  });

  it('reads no file where files cannot be read', async () => {
    expect(problemsOf(await imported(config({ q: 'file://x.txt' })))[0]).toBe(
      'tests[0].vars names x.txt, which cannot be read: names a file, and files cannot be read here',
    );
  });

  const bomb = [
    'a: &a [x, x, x, x, x, x, x, x, x, x]',
    ...'bcdefgh'.split('').map(
      (letter, i) =>
        `${letter}: &${letter} [${Array(10)
          .fill(`*${'abcdefgh'.charAt(i)}`)
          .join(', ')}]`,
    ),
  ].join('\n');
  it.each<[string, string, string, RegExp]>([
    ['a bomb of anchors', 'x.yaml', bomb, /^x\.yaml cannot be read as YAML: Excessive alias count/],
    ['a value that contains itself', 'x.yaml', 'prompts: &a [*a]', /^x\.yaml is nested more than 100 levels deep/],
    ['an unknown tag', 'x.yaml', 'prompts: !!js/function "x"', /Unresolved tag/],
    ['10 MB of YAML', 'x.yaml', `prompts: ${'x'.repeat(10_000_000)}`, /^x\.yaml is YAML of more than 2 MiB/],
    ['deep YAML', 'x.yaml', `${'['.repeat(50_000)}${']'.repeat(50_000)}`, /cannot be read as YAML: Maximum call stack/],
    ['deep JSON', 'x.json', `${'['.repeat(500_000)}${']'.repeat(500_000)}`, /nested more than 100 levels/],
    ['a name twice', 'x.yaml', 'prompts: [a]\nprompts: [b]', /a name is repeated in a map/],
    [
      'a map of 30,000 names',
      'x.yaml',
      Array.from({ length: 30_000 }, (_, i) => `k${i}: 1`).join('\n'),
      /is no configuration of promptfoo/,
    ],
    ['two documents', 'x.yaml', 'prompts: a\n---\nb', /multiple documents/],
    ['broken JSON', 'x.jsonl', '{"item": {}}\n{', /^Line 2 of x\.jsonl is not JSON/],
    ['something else', 'x.json', '{"a": 1}', /no member prompts, testing_criteria, item/],
    ['nothing', 'x.yaml', '', /is no configuration/],
    ['text', 'x', 'hello', /is no configuration/],
    [
      'a product of 1,000,000 rows',
      'x.json',
      config({ q: new Array(1000).fill('a'), r: new Array(1000).fill('b') }),
      /more than 100,000 rows/,
    ],
  ])(
    'is refused: %s',
    async (_, name, text, message) => {
      await expect(imported(text, { name })).rejects.toMatchObject({
        code: 'invalid_import',
        message: expect.stringMatching(message),
      });
    },
    30_000,
  );

  it.each(['__proto__', 'constructor', 'toString', 'a-b', 'x'.repeat(41), ''])(
    'has no row with the variable %j',
    async (name) => {
      for (const format of ['json', 'yaml']) {
        const found = await imported(
          `{"prompts": ["Hi"], "tests": [{"vars": {${JSON.stringify(name)}: {"polluted": 1}}}, {"vars": {${JSON.stringify(name)}: "x"}}]}`,
          { name: `x.${format}`, models: ['m'] },
        );
        expect([found.rows, found.unconverted.length, ({} as { polluted?: number }).polluted]).toEqual([
          [],
          2,
          undefined,
        ]);
      }
    },
  );

  it('adds no member to objects by its names anywhere', async () => {
    const found = await imported(
      '{"prompts": ["{{q}}"], "__proto__": {"polluted": 1}, "defaultTest": {"__proto__": {"polluted": 1}}, "tests": [{"vars": {"q": "x"}, "assert": [{"type": "is-json", "value": {"properties": {"__proto__": {"type": "string"}}}}]}]}',
      { name: 'x.json', models: ['m'] },
    );
    expect([({} as { polluted?: number }).polluted, problemsOf(found), JSON.stringify(found.rows[0]?.checks)]).toEqual([
      undefined,
      ['__proto__ has no counterpart', 'defaultTest.__proto__ has no counterpart'],
      '[{"type":"json","schema":{"properties":{"__proto__":{"type":"string"}}},"allow_fence":false}]',
    ]);
  });

  it.each<[string, object, string]>([
    ['a template', { q: '{{ other }}' }, 'has a template in the value of q'],
    ['an object', { q: { a: 1 } }, 'has no text as its value'],
    ['lists in a list', { q: [['a']] }, 'has no text as its value'],
    ['a long text', { q: 'x'.repeat(128_001) }, 'has 128001 characters in q, which is too long'],
    [
      'a file of variables',
      'file://vars.yaml' as unknown as object,
      'are not written here; only variables within the test are read',
    ],
  ])('has its row listed where the service would refuse it: %s', async (_, vars, problem) => {
    const found = await imported(JSON.stringify({ prompts: ['Hi'], tests: [{ vars }] }), { models: ['m'] });
    expect([found.rows, problemsOf(found)]).toEqual([[], [`tests[0].vars ${problem}`]]);
  });

  it('has rows with more than 20 variables left out, in one line for all of them', async () => {
    const tests = [20, 21, 22].map((length) => ({
      vars: Object.fromEntries(Array.from({ length }, (_, i) => [`v${i}`, 'x'])),
    }));
    const found = await imported(JSON.stringify({ prompts: ['About {{v21}}'], tests }), { models: ['m'] });
    expect([found.rows, problemsOf(found)]).toEqual([
      [],
      [
        'rows with more than 20 variables, which is the maximum, are left out',
        'prompts[0] uses {{v21}}, which 1 of 1 rows lack, the first at tests[0]; these rows are left out',
      ],
    ]);
    expect(
      problemsOf(await imported(JSON.stringify({ prompts: ['About {{v19}}'], tests }), { models: ['m'] })),
    ).toEqual(['rows with more than 20 variables, which is the maximum, are left out']);
  });

  it.each([
    ['a "b" c,d\n', 'a quotation mark within a cell, or without its end'],
    ['a\n"b', 'a quotation mark within a cell'],
    ['a,a\n1,2', 'a column twice'],
    ['a\n1,2', 'more cells than columns'],
  ])('has only its CSV left out: %j', async (csv, problem) => {
    const found = await imported('prompts: [x]\ntests: [t.csv, {vars: {q: y}}]', {
      readFile: () => csv,
      models: ['m'],
    });
    expect([found.rows, problemsOf(found)]).toEqual([
      [{ variables: { q: 'y' } }],
      [expect.stringMatching(new RegExp(`^tests\\[0\\] names t.csv, which cannot be read: .*${problem}`))],
    ]);
  });

  it('may not read more than 64 MiB by naming a file again and again', async () => {
    const tests = Array.from({ length: 80 }, () => ({ vars: { q: 'file://big.txt' } }));
    await expect(
      imported(JSON.stringify({ prompts: ['{{q}}'], tests }), { readFile: () => 'x'.repeat(1_000_000) }),
    ).rejects.toMatchObject({ message: 'The files together are longer than 64 MiB.' });
  });
});

describe('A part of a file', () => {
  const files: Record<string, string> = {
    'chat.json': '[{"role": "user", "content": {{ q | dump }}}]',
    'a.csv': 'q\n"a',
    'articles/b.log': 'B',
    'articles/a.rs': 'fn a() {}',
    'articles/.hidden': 'no',
    'articles/more/c.log': 'C',
    'picture.bin': '\ufffd',
    't/2.yaml': '[{vars: {q: two}}]',
    't/1.yaml': '[{vars: {q: one}}]',
  };
  const reading: ImportOptions = {
    models: ['m'],
    readFile: (path) => files[path] ?? '',
    listFiles: (folder) => Object.keys(files).filter((path) => path.startsWith(folder)),
  };

  it('that cannot be read is one line, and the rest is converted', async () => {
    const found = await imported('prompts: [file://chat.json, "{{q}}"]\ntests: [a.csv, {vars: {q: x}}]', reading);
    expect([problemsOf(found), found.rows, found.experiments.length]).toEqual([
      [
        'tests[0] names a.csv, which cannot be read: a.csv has a quotation mark within a cell, or without its end',
        'prompts[0] names chat.json, which cannot be read: Line 1 of chat.json is not JSON',
      ],
      [{ variables: { q: 'x' } }],
      1,
    ]);
  });

  it('that cannot be read is not blamed again on the prompt that uses its variables', async () => {
    const found = await imported('prompts: ["About {{q}}"]\ntests: a.csv', reading);
    expect([problemsOf(found).length, found.rows, found.experiments[0]?.prompt]).toEqual([1, [], 'About {q}']);
    expect(problemsOf(await imported('prompts: ["About {{q}}"]', reading))).toEqual([
      'prompts[0] uses {{q}}, which is no variable of a row',
    ]);
  });

  it.each<[string, string[]]>([
    ['articles/*', ['fn a() {}', 'B']],
    ['articles/**/*.log', ['B', 'C']],
    ['articles/?.rs', ['fn a() {}']],
    ['articles/a.rs', ['fn a() {}']],
  ])('is text of any kind as a variable, in a row for each file of %s', async (name, texts) => {
    const found = await imported(`prompts: ["{{q}}"]\ntests: [{vars: {q: "file://${name}"}}]`, reading);
    expect([found.rows, problemsOf(found)]).toEqual([texts.map((q) => ({ variables: { q } })), []]);
  });

  it.each([
    ['picture.bin', 'names picture.bin, which is no text in UTF-8'],
    ['none/*', 'names file://none/*, which no file matches'],
    ['x.png', 'names file://x.png, which is no text'],
    ['x.py', 'names file://x.py, which is code; no code is run'],
    ['../*', 'names file://../*, which is not below the folder of this file and was not read'],
  ])('is no variable: %s', async (name, problem) => {
    expect(problemsOf(await imported(`prompts: ["{{q}}"]\ntests: [{vars: {q: "file://${name}"}}]`, reading))).toEqual([
      `tests[0].vars ${problem}`,
    ]);
  });

  it('is no text if it is the address of a prompt', async () => {
    expect(problemsOf(await imported('prompts: ["portkey://pp-1", "langfuse://a:3"]', reading))).toEqual(
      [0, 1].map((index) => `prompts[${index}] is in a store of prompts, which was not read`),
    );
  });

  it('may be tests in several files', async () => {
    expect((await imported('prompts: ["{{q}}"]\ntests: file://t/*.yaml', reading)).rows).toEqual([
      { variables: { q: 'one' } },
      { variables: { q: 'two' } },
    ]);
  });

  it('of a red team is named as such', async () => {
    for (const text of [
      'redteam: {purpose: x}\ntargets: [a]',
      'redteam:\nproviders: [a]',
      'redteam: {}\ntests: [{vars: {q: x}}]',
    ]) {
      await expect(imported(text)).rejects.toMatchObject({
        code: 'invalid_import',
        message:
          'promptfooconfig.yaml is a red team of promptfoo: a model writes its attacks, and a model judges them. It has no prompts to import.',
      });
    }
    const found = await imported('redteam: {purpose: x}\nprompts: ["{{query}}"]', reading);
    expect([problemsOf(found), found.experiments.length, found.rows]).toEqual([
      [
        'redteam makes this a red team: a model writes its attacks, and a model judges them; only its own tests are rows',
      ],
      1,
      [],
    ]);
  });
});
