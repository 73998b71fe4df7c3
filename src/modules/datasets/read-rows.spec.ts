import { createHash } from 'node:crypto';
import { Columns, type MemberNames } from './columns';
import { Faults } from './faults';
import { RowsReader, type Row } from './read-rows';
import { csvMembers, jsonMembers } from './row-members';
import { splitJsonRows } from './split-json-rows';
import { splitRecords } from './split-records';

async function* of(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

type Format = 'csv' | 'ndjson' | 'json';

async function read(format: Format, content: string, names: MemberNames = {}, skip: string[] = []) {
  const columns = new Columns({ names, skip });
  const faults = new Faults('Line');
  const reader = new RowsReader(100, faults, async () => []);
  const records =
    format === 'json'
      ? splitJsonRows(of(content), faults, columns)
      : splitRecords(of(content), faults, { quotes: format === 'csv' });
  const members = (format === 'csv' ? csvMembers : jsonMembers)(records, columns, faults);
  const rows: Row[] = [];
  for await (const row of reader.read(members)) rows.push(row);
  return { rows, notes: columns.notes, ...reader.summary() };
}

describe('RowsReader', () => {
  it('gives the same content one hash in every format and order of members, and another content another one', async () => {
    const contents = [
      await read(
        'ndjson',
        '{"input":"a","expected":"b","variables":{"x":"1","y":"2"}}\n{"input":"c","variables":{"x":"","y":"3"}}',
      ),
      await read(
        'ndjson',
        '{"variables":{"y":"2","x":"1"},"expected":"b","input":"a","group":null}\r\n\r\n{"item":{"variables":{"y":"3","x":""},"input":"c","expected":""}}\r\n',
      ),
      await read(
        'json',
        '{"rows": [{"input":"a","expected":"b","variables":{"x":"1","y":"2"}},\n {"input":"c","variables":{"x":"","y":"3"}}]}',
      ),
      await read('csv', 'input,expected,x,y\na,b,1,2\nc,,,3\n'),
      await read('csv', '\uFEFF y ,answer,x,question\r\n"2","b",1,a\r\n3,,"",c', {
        input: 'question',
        expected: 'answer',
      }),
    ];
    expect(new Set(contents.map(({ sha256, bytes }) => `${sha256} ${bytes}`)).size).toBe(1);
    for (const other of [
      '{"input":"a"}',
      '{"input":"a","group":"b"}',
      '{"expected":"a","input":"b"}',
      '{"variables":{"a":"a"}}',
      '{"variables":{"b":"a"}}',
      '{"input":"a","id":"x"}',
      '{"input":"a","checks":[1]}',
      '{"input":"a"}\n{"input":"a"}',
    ])
      contents.push(await read('ndjson', other));
    expect(new Set(contents.map(({ sha256 }) => sha256)).size).toBe(9);
  });

  it('hashes one canonical line for each row', async () => {
    const {
      sha256,
      rows: [row],
    } = await read('ndjson', '{"input":"é","id":"x"}');
    expect([row?.rowId, sha256]).toEqual([
      'x',
      createHash('sha256').update('["x","é",null,null,null,null]\n').digest('hex'),
    ]);
  });

  it('counts different groups, and names members and variables', async () => {
    const { groupCount, rowCount, columns } = await read('csv', 'input,group,tone\na,g1,x\nb,g1,y\nc,g2,z\nd,,w\n');
    expect({ groupCount, rowCount, columns }).toEqual({
      groupCount: 2,
      rowCount: 4,
      columns: ['group', 'input', 'tone'],
    });
  });

  it('has at most 100 names of variables together', async () => {
    const line = (index: number) =>
      JSON.stringify({
        variables: Object.fromEntries(Array.from({ length: 20 }, (_, one) => [`v${index}_${one}`, 'x'])),
      });
    expect((await read('ndjson', [0, 1, 2, 3, 4].map(line).join('\n'))).columns).toHaveLength(100);
    await expect(read('ndjson', [0, 1, 2, 3, 4, 5].map(line).join('\n'))).rejects.toMatchObject({
      details: { faults: [{ line: 6, problem: expect.stringContaining('at most 100 names') }] },
    });
  });

  it('says that there is no row only if nothing else is wrong', async () => {
    await expect(read('ndjson', 'a\nb')).rejects.toMatchObject({
      details: { faults: [{ line: 1 }, { line: 2, problem: expect.stringContaining('JSON') }] },
    });
    await expect(read('csv', 'input\n')).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('has no row'),
    });
  });

  it('says that it stopped reading after 20 faults', async () => {
    await expect(read('ndjson', '{\n'.repeat(20))).rejects.toThrow(
      'nothing was stored. After 20 faults, the rest was not read.',
    );
    await expect(read('ndjson', '{\n'.repeat(19))).rejects.toThrow(/nothing was stored\.$/);
  });

  const variablesOf = async (...file: Parameters<typeof read>) =>
    (await read(...file)).rows.map(({ variables }) => variables);

  it('takes other members that are texts, numbers or booleans as variables, alike in every format, and leaves out the rest with one note', async () => {
    const rows = [
      { input: 'a', topic: 'x', size: 2, isNew: true, tags: ['t'], meta: { a: 1 }, none: null },
      { input: 'b', topic: 'y', size: 3, isNew: false, tags: [], meta: null },
    ];
    const expected = [
      { topic: 'x', size: '2', isNew: 'true' },
      { topic: 'y', size: '3', isNew: 'false' },
    ];
    const notes = ['tags', 'meta', 'none'].map(
      (name) => `"${name}" is left out where it is a list, an object or null.`,
    );
    for (const file of [
      ['ndjson', rows.map((row) => JSON.stringify(row)).join('\n')],
      ['json', JSON.stringify({ rows })],
      ['json', JSON.stringify(rows)],
    ] as [Format, string][]) {
      expect([await variablesOf(...file), (await read(...file)).notes]).toEqual([expected, notes]);
    }
    expect(await variablesOf('csv', 'input,topic,size,isNew\na,x,2,true\nb,y,3,false')).toEqual(expected);
  });

  it('keeps the spelling of numbers', async () => {
    const {
      rows: [row],
    } = await read(
      'ndjson',
      '{"input":1.0,"expected":12345678901234567890,"n":1e3,"variables":{"m":-0.10},"checks":[{"max":1.0}]}',
    );
    expect([row?.input, row?.expected, row?.variables]).toEqual([
      '1.0',
      '12345678901234567890',
      { m: '-0.10', n: '1e3' },
    ]);
    const deep = `{"input":1,"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expect((await read('ndjson', deep)).rows[0]?.input).toBe('1');
  });

  it.each([
    ['question', 'answer'],
    ['prompt', 'target'],
    ['query', 'ideal'],
    ['text', 'label'],
    ['Question', 'Output'],
    ['prompt', 'reference'],
    ['prompt', 'ground_truth'],
  ])('understands %s and %s, which stay variables', async (input, expected) => {
    for (const file of [
      ['ndjson', JSON.stringify({ [input]: 'a', [expected]: 'b' })],
      ['csv', `${input},${expected}\na,b`],
    ] as [Format, string][]) {
      const {
        rows: [row],
        notes,
      } = await read(...file);
      expect([row?.input, row?.expected, row?.variables]).toEqual(['a', 'b', { [input]: 'a', [expected]: 'b' }]);
      expect(notes).toEqual([`"${input}" is the input.`, `"${expected}" is the expected answer.`]);
    }
  });

  it('guesses nothing where the name is given, is there, or is one of two', async () => {
    expect((await read('csv', 'question,text,answer\na,b,c')).rows[0]).toMatchObject({
      input: null,
      expected: 'c',
      variables: { question: 'a', text: 'b' },
    });
    expect((await read('csv', 'input,question,target\na,b,c', { expected: 'question' })).rows[0]).toMatchObject({
      input: 'a',
      expected: 'b',
      variables: { target: 'c' },
    });
    expect((await read('ndjson', '{"input":"a","target":"b"}', { input: 'target' })).rows[0]).toMatchObject({
      input: 'b',
      expected: null,
      variables: { input_2: 'a' },
    });
  });

  it('makes names of variables of others, each once', async () => {
    const {
      rows: [row],
      notes,
    } = await read(
      'csv',
      ',q,Correct Answers,r\u00e9ponse,a-b,a_b,llama2-7b-chat_response,__metadata:category,\u65e5,Correct-Answers\n0,x,y,z,1,2,3,4,5,6',
      { input: 'q' },
    );
    expect(row?.variables).toEqual({
      column_1: '0',
      correct_answers: 'y',
      reponse: 'z',
      a_b_2: '1',
      a_b: '2',
      llama2_7b_chat_response: '3',
      metadata_category: '4',
      column_9: '5',
      correct_answers_2: '6',
    });
    expect(notes).toContain('"Correct Answers" is the variable "correct_answers".');
    expect(notes).toContain('The column without a name is the variable "column_1".');
    expect((await variablesOf('ndjson', '{"input":"a","__proto__":"x","constructor":"y"}'))[0]).toEqual(
      Object.fromEntries([
        ['proto', 'x'],
        ['constructor', 'y'],
      ]),
    );
  });

  it('leaves out what is skipped, and says which is not there', async () => {
    const {
      rows: [row],
      notes,
    } = await read('csv', 'input,target,a b\nx,y,z', {}, ['a b', 'target', 'none']);
    expect([row, notes]).toEqual([
      expect.objectContaining({ input: 'x', expected: null, variables: null }),
      ['There is no "none" to leave out.'],
    ]);
    const wide = `input,${Array.from({ length: 21 }, (_, index) => `c${index}`).join()}\n${'x,'.repeat(21)}x`;
    await expect(read('csv', wide)).rejects.toThrow(
      'has 21 columns for variables; a row has at most 20. Leave others out, by skip in the query or --skip in mcs',
    );
    expect((await variablesOf('csv', wide, {}, ['c0']))[0]).toMatchObject({ c1: 'x', c20: 'x' });
  });

  it('takes the last question of a chat as input, its system message as a variable, and no other list', async () => {
    const [question, system] = [
      { role: 'user', content: 'a' },
      { role: 'system', content: 'b' },
    ];
    expect((await read('ndjson', JSON.stringify({ input: [question], target: 'c' }))).rows[0]).toMatchObject({
      input: 'a',
      expected: 'c',
    });
    expect((await read('ndjson', JSON.stringify({ prompt: [system, question] }))).rows[0]).toMatchObject({
      input: 'a',
      variables: { system: 'b', prompt: 'a' },
    });
    const answer = { role: 'assistant', content: ' {input} ' };
    const chat = await read(
      'ndjson',
      JSON.stringify({ input: [system, question, answer, { ...question, name: 'x' }] }),
    );
    expect(chat.rows[0]).toMatchObject({ input: 'a', variables: { system: 'b' }, history: [question, answer] });
    expect(chat.notes).toEqual([
      'The input is the last message of the user in "input".',
      'The messages before it are the history.',
      'The message of the system is the variable "system".',
    ]);
    const both = { history: [answer], input: [question, question] };
    for (const row of [both, Object.fromEntries(Object.entries(both).toReversed())])
      expect((await read('ndjson', JSON.stringify(row))).rows[0]?.history).toEqual([answer, question]);
    for (const input of [
      [question, answer],
      [question, system, question],
      [system, system, question],
      [system],
      [{ role: 'tool', content: 'x' }, question],
      [{ role: 'assistant', content: [{ type: 'text', text: 'x' }] }, question],
      [{ role: 'assistant', content: 'a' }],
      [{ role: 'user', content: [{}] }],
      [],
      ['a'],
      [null],
    ])
      await expect(read('ndjson', JSON.stringify({ input }))).rejects.toThrow('has a list of messages as its input');
  });

  const TURN = { role: 'user', content: ' {"a": 1.0} ' };

  it('reads turns of a row in every format, and only then counts them in its id and hash', async () => {
    const json = JSON.stringify([TURN, { content: 'b', role: 'assistant' }]);
    const contents = [
      await read('ndjson', `{"input":"a","history":${json}}\n{"history":${json}}\n{"input":"c","history":[]}`),
      await read('json', `{"rows":[{"history":${json},"input":"a"},{"history":${json}},{"input":"c"}]}`),
      await read('csv', `input,history\na,"${json.replaceAll('"', '""')}"\n,"${json.replaceAll('"', '""')}"\nc,\n`),
    ];
    for (const { rows, notes } of contents) {
      expect(rows.map(({ input, history, variables }) => [input, history?.length, variables])).toEqual([
        ['a', 2, null],
        [null, 2, null],
        ['c', undefined, null],
      ]);
      expect([rows[0]?.history?.[0], notes]).toEqual([TURN, []]);
    }
    expect(new Set(contents.map(({ sha256, rows }) => sha256 + rows.map(({ rowId }) => rowId).join())).size).toBe(1);
    const plain = await read('ndjson', '{"input":"a"}');
    expect(plain.rows[0]?.rowId).not.toBe(contents[0]?.rows[0]?.rowId);
    // As releases before had them.
    const hash = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex');
    expect(plain.rows[0]?.rowId).toBe(hash(['a', null]).slice(0, 16));
  });

  it('keeps a column of texts called history a variable', async () => {
    const { rows, notes } = await read('csv', 'input,history\na,\nb,since 1990\nc,"{""a"":1}"\nd,5.0\n');
    expect(rows.map(({ variables, history }) => [variables, history])).toEqual([
      [{ history: '' }, null],
      [{ history: 'since 1990' }, null],
      [{ history: '{"a":1}' }, null],
      [{ history: '5.0' }, null],
    ]);
    expect(notes).toEqual(['"history" is a variable where it is no list of turns.']);
    expect((await variablesOf('ndjson', '{"input":"a","history":5.0}'))[0]).toEqual({ history: '5.0' });
  });

  it.each([
    ['[{"role":"system","content":"x"}]', /history\[0\]\.role must be one of user, assistant/],
    ['[{"role":"user","content":5}]', /history\[0\]\.content must be a string/],
    ['[{"role":"user"}]', /history\[0\]\.content is required/],
    ['["x"]', /history\[0\] must be an object/],
    ['[null]', /history\[0\] must be an object/],
    [`[${Array(101).fill('{"role":"user","content":"x"}').join()}]`, /history must be an array of 1 to 100 turns/],
    ['[{"role":"user","content":"a\\u0000"}]', /history\[0\]\.content must not contain U\+0000/],
  ])('refuses the turns %s', async (history, problem) => {
    await expect(read('ndjson', `{"n":1,"history":${history}}`)).rejects.toThrow(problem);
    await expect(read('csv', `a,history\n1,"${history.replaceAll('"', '""')}"`)).rejects.toThrow(problem);
  });

  it.each([
    ['a list alone', '[{"input":"a"}]', []],
    ['examples', '{"canary":"x [y]","examples":[{"input":"a"}]}', ['"canary" beside the rows is left out.']],
    ['data', '{"data":[{"input":"a"}],"n":1}', ['"n" beside the rows is left out.']],
  ])('reads %s of JSON as rows', async (_, body, notes) => {
    const { rows, notes: noted } = await read('json', body);
    expect([rows.map(({ input }) => input), noted]).toEqual([['a'], notes]);
  });

  it.each(['input;expected\n"a;b";c,d\n', 'input\texpected\n"a;b"\tc,d\n'])(
    'reads %j by the delimiter of its header',
    async (file) => {
      expect((await read('csv', file)).rows[0]).toMatchObject({ input: 'a;b', expected: 'c,d' });
    },
  );

  it('takes a quote inside of a cell as a quote, also an odd one', async () => {
    expect(
      (await read('csv', 'input,expected\na 5" pipe,b\nsays "yes","c\nd"\n"""e""",f\n')).rows.map(
        ({ input, expected }) => [input, expected],
      ),
    ).toEqual([
      ['a 5" pipe', 'b'],
      ['says "yes"', 'c\nd'],
      ['"e"', 'f'],
    ]);
  });

  it.each([
    ['ndjson', 'Line 1'],
    ['csv', 'Line 1'],
    ['json', 'The body'],
  ] as const)('names a pointer of Git LFS in %s', async (format, unit) => {
    await expect(read(format, 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n')).rejects.toThrow(
      `${unit} is a pointer of Git LFS, not the file`,
    );
  });

  it('names a CSV file that was sent as a JSON string', async () => {
    await expect(read('csv', JSON.stringify('input,expected\na,b\n'))).rejects.toThrow(
      'Line 1 is a text in JSON; send the file itself',
    );
  });

  it('passes on errors of the service while it reads checks', async () => {
    const reader = new RowsReader(10, new Faults('Line'), () => Promise.reject(new Error('no thread')));
    await expect(
      reader
        .read(
          jsonMembers(
            splitRecords(of('{"input":"a","checks":[1]}'), new Faults('Line'), { quotes: false }),
            new Columns({ names: {}, skip: [] }),
            new Faults('Line'),
          ),
        )
        .next(),
    ).rejects.toThrow('no thread');
  });
});
