import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { operator, type Answer, type Json } from '../../support/api';
import { Caller, createCaller } from '../../support/factories';
import { rawRequest, requestBytes } from '../../support/raw';
import { slowClient } from '../../support/slow-client';

const NDJSON = 'application/x-ndjson';
const CSV = 'text/csv';
const MAX_ROW_BYTES = 262_144;

const upload = (caller: Caller, type: string, body: string, query = '') =>
  caller.post(`/api/v1/datasets${query}`, body, { headers: { 'content-type': type } });
const ndjson = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join('\n');
const rowsOf = async (caller: Caller, id: string, query = '') => caller.get(`/api/v1/datasets/${id}/rows${query}`);

async function keyOf(owner: Caller, scopes: string[]): Promise<Caller> {
  const { body } = await operator().post(`/api/v1/admin/users/${owner.userId}/keys`, { name: scopes.join(), scopes });
  return new Caller(body.api_key, owner.userId, owner.email, body.id);
}

function faultsOf({ status, body }: Answer<Json>): unknown {
  return [status, body.error?.code, body.error?.details?.faults];
}

describe('A data set', () => {
  it('is stored with its rows, listed, read and deleted', async () => {
    const caller = await createCaller();
    const created = await upload(
      caller,
      NDJSON,
      ndjson([
        { id: 'a', input: '2 + 2', expected: '4', group: 'sums', checks: [{ type: 'equals', value: '{expected}' }] },
        { input: 'capital of France', variables: { tone: 'brief' }, group: 'sums' },
        { variables: { city: 'Rome' } },
      ]),
      '?name=first',
    );
    expect([created.status, created.body]).toEqual([
      201,
      {
        dataset_id: expect.stringMatching(/^ds_/),
        name: 'first',
        rows: 3,
        groups: 1,
        bytes: expect.any(Number),
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        columns: ['checks', 'city', 'expected', 'group', 'id', 'input', 'tone'],
        created_at: expect.any(String),
        notes: [],
      },
    ]);
    const stored = Object.fromEntries(
      Object.entries(created.body as object).filter(([name]) => name !== 'notes'),
    ) as Json;
    const id = stored.dataset_id as string;
    expect((await caller.get(`/api/v1/datasets/${id}`)).body).toEqual(stored);
    expect((await caller.get('/api/v1/datasets')).body).toEqual({ datasets: [stored], limit: 20 });
    const { rows } = (await rowsOf(caller, id)).body;
    expect(rows.map(({ no }: Json) => no)).toEqual([0, 1, 2]);
    expect(
      rows.toSorted((one: Json, other: Json) => one.line - other.line).map((row: Json) => ({ ...row, no: undefined })),
    ).toEqual([
      {
        line: 1,
        id: 'a',
        input: '2 + 2',
        expected: '4',
        group: 'sums',
        variables: null,
        history: null,
        checks: [
          {
            name: 'equals-1',
            type: 'equals',
            weight: 1,
            not: false,
            value: '{expected}',
            trim: true,
            ignore_case: false,
          },
        ],
      },
      {
        line: 2,
        id: expect.stringMatching(/^[0-9a-f]{16}$/),
        input: 'capital of France',
        expected: null,
        group: 'sums',
        variables: { tone: 'brief' },
        history: null,
        checks: null,
      },
      {
        line: 3,
        id: expect.stringMatching(/^[0-9a-f]{16}$/),
        input: null,
        expected: null,
        group: null,
        variables: { city: 'Rome' },
        history: null,
        checks: null,
      },
    ]);
    expect((await caller.delete(`/api/v1/datasets/${id}`)).status).toBe(204);
    expect((await caller.get(`/api/v1/datasets/${id}`)).status).toBe(404);
    expect(
      (await operator().get(`/api/v1/admin/audit?target=${id}`)).body.entries.map(({ action }: Json) => action),
    ).toEqual(['dataset.deleted', 'dataset.created']);
  });

  it('has one hash and one order whatever the format, and one name and content are one data set', async () => {
    const caller = await createCaller();
    const items = Array.from({ length: 10_000 }, (_, index) => ({
      input: `say "${index}", ${index % 7}`,
      group: `g${index % 10}`,
    }));
    const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
    const csv = (end: string) => items.map(({ input, group }) => `${quoted(input)},${group}${end}`).join('');
    const answers = [
      await upload(caller, NDJSON, ndjson(items), '?name=one'),
      await upload(caller, NDJSON, `\uFEFF${ndjson(items.map((item) => ({ item })))}\r\n\r\n`, '?name=two'),
      await upload(caller, CSV, `input,group\n${csv('\n')}`, '?name=three'),
      await upload(
        caller,
        `${CSV}; charset=utf-8`,
        `\uFEFFquestion,group\r\n${csv('\r\n')}`,
        '?name=four&input=question',
      ),
      await upload(caller, 'application/json', JSON.stringify({ rows: items }), '?name=five'),
    ];
    expect(answers.map(({ status, body }) => [status, body.rows, body.groups, body.sha256])).toEqual(
      answers.map(() => [201, 10_000, 10, answers[0]?.body.sha256]),
    );
    const orders = await Promise.all(
      answers.map(async ({ body }) =>
        (await rowsOf(caller, body.dataset_id, '?limit=100')).body.rows.map(({ input }: Json) => input),
      ),
    );
    expect(new Set(orders.map((order) => JSON.stringify(order))).size).toBe(1);
    // Not the order of the file.
    expect(orders[0]).not.toEqual(items.slice(0, 100).map(({ input }) => input));
    const again = await upload(caller, CSV, `input,group\n${csv('\n')}`, '?name=one');
    expect([again.status, again.body]).toEqual([200, answers[0]?.body]);
    expect((await upload(caller, NDJSON, ndjson(items.toReversed()), '?name=one')).status).toBe(201);
  });

  it('draws an order in which every part of the file comes first about equally often', async () => {
    const caller = await createCaller();
    const { body } = await upload(
      caller,
      NDJSON,
      ndjson(Array.from({ length: 2000 }, (_, index) => ({ input: `row ${index}` }))),
    );
    const { rows } = (await rowsOf(caller, body.dataset_id, '?limit=100')).body;
    const early = rows.filter(({ line }: Json) => line <= 1000).length;
    expect(early).toBeGreaterThan(25);
    expect(early).toBeLessThan(75);
    expect(new Set(rows.map(({ line }: Json) => line)).size).toBe(100);
  });

  it('has pages of rows and is on a page of data sets', async () => {
    const caller = await createCaller();
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c'])
      ids.push(
        (
          await upload(
            caller,
            NDJSON,
            ndjson(Array.from({ length: 5 }, (_, index) => ({ input: `${name}${index}` }))),
            `?name=${name}`,
          )
        ).body.dataset_id,
      );
    const follow = async (path: string, member: string): Promise<Json[]> => {
      const { body, headers } = await caller.get(path);
      const next = /^<(.+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
      return [...body[member], ...(next === undefined ? [] : await follow(next, member))];
    };
    expect((await follow('/api/v1/datasets?limit=2', 'datasets')).map(({ dataset_id: id }) => id)).toEqual(
      ids.toReversed(),
    );
    expect((await follow(`/api/v1/datasets/${ids[0]}/rows?limit=2`, 'rows')).map(({ no }) => no)).toEqual([
      0, 1, 2, 3, 4,
    ]);
    const long = await upload(
      caller,
      NDJSON,
      ndjson(Array.from({ length: 60 }, (_, index) => ({ input: `${index}${'x'.repeat(120_000)}` }))),
    );
    const first = await rowsOf(caller, long.body.dataset_id, '?limit=100');
    expect(first.body.rows.length).toBeLessThan(40);
    expect(
      (await follow(`/api/v1/datasets/${long.body.dataset_id}/rows?limit=100`, 'rows')).map(({ no }) => no),
    ).toEqual(Array.from({ length: 60 }, (_, no) => no));
  });

  it('gives rows without an id one made of their content, and keeps those of repeated rows apart', async () => {
    const caller = await createCaller();
    const idsOf = async (rows: object[]) =>
      (await rowsOf(caller, (await upload(caller, NDJSON, ndjson(rows))).body.dataset_id)).body.rows
        .toSorted((one: Json, other: Json) => one.line - other.line)
        .map(({ id }: Json) => id);
    const [id, ...others] = await idsOf([
      { input: 'same' },
      { input: 'same', expected: 'x' },
      { input: 'same' },
      { input: 'other' },
    ]);
    expect(others).toEqual([`${id}-2`, `${id}-3`, expect.not.stringContaining(id)]);
    expect(await idsOf([{ input: 'new' }, { input: 'same' }])).toEqual([expect.any(String), id]);
    expect(await idsOf([{ input: 'same', id: `${id}-2` }, { input: 'same' }, { input: 'same' }])).toEqual([
      `${id}-2`,
      id,
      `${id}-3`,
    ]);
    expect(await idsOf([{ input: 'same', id: 7 }].map((row) => ({ ...row, id: String(row.id) })))).toEqual(['7']);
  });

  it('takes the columns of a CSV file that are nothing else as variables, and JSON in the column checks', async () => {
    const caller = await createCaller();
    const created = await upload(
      caller,
      CSV,
      'question,answer,city,checks\r\n"Where,\nis it?",,Rome,"[{""type"":""finished""}]"\r\n',
      '?input=question&expected=answer',
    );
    expect(created.status).toBe(201);
    expect((await rowsOf(caller, created.body.dataset_id)).body.rows).toEqual([
      expect.objectContaining({
        line: 2,
        input: 'Where,\nis it?',
        expected: null,
        variables: { city: 'Rome' },
        checks: [expect.objectContaining({ type: 'finished', name: 'finished-1' })],
      }),
    ]);
  });
});

describe('Faults of a data set', () => {
  const good = { input: 'good' };
  const row = (extra: object) => ndjson([good, { input: 'second', ...extra }, { input: 'third' }]);
  const sized = (bytes: number) => {
    const members = (last: string) =>
      JSON.stringify({ variables: { a: 'x'.repeat(120_000), b: 'y'.repeat(120_000), c: last } });
    return members('z'.repeat(bytes - members('').length));
  };

  it.each<[name: string, type: string, body: string, line: number, problem: RegExp]>([
    ['broken JSON', NDJSON, '{"input":"a"}\n{"input":\n{"input":"c"}', 2, /not valid JSON/],
    ['a line that is a list', NDJSON, '{"input":"a"}\n\n[1]', 3, /not a JSON object/],
    ['a row without input', NDJSON, row({ input: '' }), 2, /has no input/],
    ['an expected answer that is a list', NDJSON, row({ expected: ['x'] }), 2, /expected must be a string/],
    ['U+0000', NDJSON, row({ expected: 'a\u0000b' }), 2, /expected must not contain U\+0000/],
    ['a lone surrogate', NDJSON, '{"input":"a"}\n{"input":"\\ud800"}', 2, /lone surrogates/],
    [
      'a repeated id',
      NDJSON,
      ndjson([
        { ...good, id: 'x' },
        { input: 'b', id: 'y' },
        { input: 'c', id: 'x' },
      ]),
      3,
      /has the id x, which line 1 has already/,
    ],
    ['an id with a blank', NDJSON, row({ id: 'a b' }), 2, /id must be 1 to 100/],
    [
      'a chat that ends with the assistant',
      NDJSON,
      row({
        input: [
          { role: 'user', content: 'x' },
          { role: 'assistant', content: 'y' },
        ],
      }),
      2,
      /list of messages/,
    ],
    ['a variable with a wrong name', NDJSON, row({ variables: { 'a-b': 'x' } }), 2, /"a-b" is no name of a variable/],
    ['a variable called input', NDJSON, row({ variables: { input: 'x' } }), 2, /"input" is no name/],
    [
      'a variable called __proto__',
      NDJSON,
      '{"input":"a"}\n{"variables":{"__proto__":"x"}}',
      2,
      /"__proto__" is no name/,
    ],
    [
      '21 variables',
      NDJSON,
      row({ variables: Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`v${index}`, 'x'])) }),
      2,
      /1 to 20 members/,
    ],
    ['a long group', NDJSON, row({ group: 'g'.repeat(101) }), 2, /group must not be longer than 100/],
    ['an unknown check', NDJSON, row({ checks: [{ type: 'magic' }] }), 2, /checks\[0\]\.type must be one of/],
    [
      '21 checks',
      NDJSON,
      row({ checks: Array.from({ length: 21 }, () => ({ type: 'finished' })) }),
      2,
      /checks must be an array of 1 to 20/,
    ],
    [
      'a pattern that does not compile',
      NDJSON,
      row({ checks: [{ type: 'regex', pattern: '(' }] }),
      2,
      /checks\[0\]\.pattern/,
    ],
    [
      'the registry of evals',
      NDJSON,
      '{"input":"a"}\n{"input":[{"role":"user","content":"x"},{"role":"tool","content":"z"}],"ideal":"y"}',
      2,
      /mcs import/,
    ],
    [
      'a row of 256 KiB and a byte',
      NDJSON,
      `{"input":"a"}\n${sized(MAX_ROW_BYTES + 1)}`,
      2,
      /longer than 262,144 bytes/,
    ],
    ['no header', CSV, 'What is it?,4\nb,5\n', 1, /must be a header.*"What is it\?"/],
    ['a header without input', CSV, 'topic\nb\n', 1, /"topic" is no name of an input/],
    ['a header with a column twice', CSV, 'input,a,a\nx,y,z\n', 1, /names the column "a" twice/],
    ['the header twice', CSV, 'input,a\nx,y\ninput,a\n', 3, /repeats the header/],
    ['a row with a cell too many', CSV, 'input,a\nx,y\n"x\n1",y,z\n', 3, /has 3 cells; the header has 2/],
    ['a line of a million commas', CSV, `input,a\nx,y\n${','.repeat(1_000_000)}\n`, 3, /longer than 262,144 bytes/],
    ['a header of 200,000 commas', CSV, `${','.repeat(200_000)}\nx\n`, 1, /has 200,001 columns for variables/],
    ['a quote that is not closed', CSV, 'input,a\nx,y\n"x,y\n', 3, /double quote is not closed/],
    ['a text after a closing quote', CSV, 'input,a\nx,y\n"x"y,z\n', 3, /must follow a closing double quote/],
    ['old line ends', CSV, 'input,a\rx,y\rz,w', 1, /neither LF nor CRLF/],
    ['checks that are no JSON', CSV, 'input,checks\nx,[\n', 2, /checks must be an array/],
    [
      'one row too many',
      NDJSON,
      ndjson(Array.from({ length: 10_001 }, (_, index) => ({ input: `${index}` }))),
      10_001,
      /one row too many/,
    ],
  ])('are %s, with its line, and nothing is stored', async (_, type, body, line, problem) => {
    const caller = await createCaller();
    const answer = await upload(caller, type, body);
    expect(faultsOf(answer)).toEqual([400, 'invalid_request', [{ line, problem: expect.stringMatching(problem) }]]);
    expect(answer.body.error.message).toBe(
      `Line ${line} ${answer.body.error.details.faults[0].problem}; nothing was stored.`,
    );
    expect((await caller.get('/api/v1/datasets')).body.datasets).toEqual([]);
  });

  it.each([
    ['blank lines', NDJSON, '\n\n'],
    ['a header alone', CSV, 'input,a\n'],
    ['an empty list', 'application/json', '{"rows":[]}'],
  ])('are %s', async (_, type, body) => {
    const {
      status,
      body: { error },
    } = await upload(await createCaller(), type, body);
    expect([status, error.code, error.message, error.details?.faults]).toEqual([
      400,
      'invalid_request',
      'The body has no row; a data set has at least one.',
      undefined,
    ]);
  });

  it('are only rows that cannot be read, of which each has one fault', async () => {
    expect(
      faultsOf(
        await upload(
          await createCaller(),
          'application/json',
          '{"rows":[null,[],{"input":"a","id":"x"},{"input":"b","id":"x"}]}',
        ),
      ),
    ).toEqual([
      400,
      'invalid_request',
      [
        { line: 1, problem: 'is not a JSON object' },
        { line: 2, problem: 'is not a JSON object' },
        { line: 4, problem: 'has the id x, which row 3 has already' },
      ],
    ]);
    expect(faultsOf(await upload(await createCaller(), CSV, 'input,expected\na\n'))).toEqual([
      400,
      'invalid_request',
      [{ line: 2, problem: 'has 1 cell; the header has 2' }],
    ]);
  });

  it('may be a row of exactly 256 KiB without its line end', async () => {
    const caller = await createCaller();
    expect((await upload(caller, NDJSON, `\uFEFF${sized(MAX_ROW_BYTES)}\r\n`)).status).toBe(201);
  });

  it('are at most 20, also after many good rows', async () => {
    const caller = await createCaller();
    const rows = Array.from({ length: 10_000 }, (_, index) =>
      index >= 9000 ? {} : { input: `${index}${'x'.repeat(200)}` },
    );
    const { status, body } = await upload(caller, NDJSON, ndjson(rows));
    expect([status, body.error.details.faults.map(({ line }: Json) => line)]).toEqual([
      400,
      Array.from({ length: 20 }, (_, index) => 9001 + index),
    ]);
    const late = await upload(caller, NDJSON, ndjson([...rows.slice(0, 8999), {}]));
    expect(faultsOf(late)).toEqual([400, 'invalid_request', [{ line: 9000, problem: expect.any(String) }]]);
    expect((await caller.get('/api/v1/datasets')).body.datasets).toEqual([]);
  });

  it('name rows of a JSON body by their position', async () => {
    const caller = await createCaller();
    const answer = await upload(caller, 'application/json', JSON.stringify({ rows: [good, 7] }));
    expect(answer.body.error).toMatchObject({
      code: 'invalid_request',
      message: 'Row 2 is not a JSON object; nothing was stored.',
      details: { faults: [{ line: 2 }] },
    });
    expect(
      faultsOf(
        await upload(caller, 'application/json', `{"rows":[${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}]}`),
      ),
    ).toEqual([400, 'invalid_request', [{ line: 1, problem: expect.any(String) }]]);
    for (const body of ['{}', '{"rows":{}}', '{"rows":[],"data":[]}', '"x"'])
      expect((await upload(caller, 'application/json', body)).body.error).toMatchObject({
        code: 'invalid_request',
        param: 'rows',
      });
    expect((await upload(caller, 'application/json', '{"rows":[]}')).status).toBe(400);
  });

  it('are bytes that are not UTF-8', async () => {
    const { key, url, keyId } = await createCaller();
    const answer = await rawRequest(
      url,
      requestBytes(
        'POST',
        '/api/v1/datasets',
        { Authorization: `Bearer ${key}`, 'Content-Type': NDJSON },
        Buffer.concat([Buffer.from('{"input":"a"}\n{"input":"'), Buffer.from([0xff]), Buffer.from('"}')]),
      ),
    );
    expect([keyId, JSON.parse(answer?.body ?? '').error.details.faults]).toEqual([
      keyId,
      [{ line: 2, problem: 'is not UTF-8' }],
    ]);
  });
});

describe('The body of a data set', () => {
  it('is refused when it is compressed, of another type or charset, or absent', async () => {
    const { key, url } = await createCaller();
    const send = async (headers: Record<string, string>, body: Buffer = Buffer.from('{"input":"a"}')) =>
      rawRequest(url, requestBytes('POST', '/api/v1/datasets', { Authorization: `Bearer ${key}`, ...headers }, body));
    const answers = [
      await send({ 'Content-Type': NDJSON, 'Content-Encoding': 'gzip' }, gzipSync(Buffer.alloc(10_000_000))),
      await send({ 'Content-Type': `${CSV}; charset=latin1` }),
      await send({ 'Content-Type': 'text/plain' }),
      await send({}),
    ];
    expect(answers.map((answer) => [answer?.status, JSON.parse(answer?.body ?? '{}').error?.code])).toEqual(
      answers.map(() => [415, 'unsupported_media_type']),
    );
    expect(JSON.parse((await send({}, Buffer.alloc(0)))?.body ?? '').error.code).toBe('invalid_json');
  });

  it('is taken as NDJSON and CSV by no other route', async () => {
    const caller = await createCaller();
    for (const type of [NDJSON, CSV])
      expect(
        (
          await caller.post('/api/v1/compare', '{"prompt":"Hi","models":["sim-swift"]}', {
            headers: { 'content-type': type },
          })
        ).status,
      ).toBe(415);
  });

  it('is not read for a wrong key or scope, which are answered while it is still sent', async () => {
    const caller = await createCaller();
    const reader = await keyOf(caller, ['experiments:read']);
    for (const [key, status] of [
      ['mcs_wrong', 401],
      [reader.key, 403],
    ] as const) {
      const { ended } = slowClient(
        caller.url,
        `POST /api/v1/datasets HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer ${key}\r\nContent-Type: ${NDJSON}\r\nContent-Length: 1000000\r\nConnection: close\r\n\r\n{"input`,
      );
      expect((await ended).text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    }
  });

  it('that is refused early does not hold the connection of a client that still sends', async () => {
    const caller = await createCaller();
    const client = slowClient(
      caller.url,
      `POST /api/v1/datasets HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer ${caller.key}\r\nContent-Type: ${NDJSON}\r\nContent-Length: 100000000\r\n\r\n`,
      '{"input":"x"}\n',
    );
    const { text, heldMs } = await client.ended;
    expect(text).toMatch(/^HTTP\/1.1 413 /);
    expect(heldMs).toBeLessThan(10_000);
  });
});

describe('Data sets of others', () => {
  it('are not found, with the same body as an unknown id', async () => {
    const [owner, other] = [await createCaller(), await createCaller()];
    const { dataset_id: id } = (await upload(owner, NDJSON, '{"input":"secret"}')).body;
    const unknown = `ds_${'0'.repeat(26)}`;
    const bodyOf = ({ status, text }: Answer) => [status, text.replace(/req_\w+/, '')];
    for (const of of [id, unknown, 'ds_x', 'x'.repeat(300)]) {
      expect(bodyOf(await other.get(`/api/v1/datasets/${of}`))).toEqual(
        bodyOf(await other.get(`/api/v1/datasets/${unknown}`)),
      );
      expect(bodyOf(await other.get(`/api/v1/datasets/${of}/rows`))).toEqual(
        bodyOf(await other.get(`/api/v1/datasets/${unknown}`)),
      );
      expect(bodyOf(await other.delete(`/api/v1/datasets/${of}`))).toEqual(
        bodyOf(await other.get(`/api/v1/datasets/${unknown}`)),
      );
    }
    expect((await other.get('/api/v1/datasets')).body.datasets).toEqual([]);
    // The same content is another data set.
    const copied = await upload(other, NDJSON, '{"input":"secret"}');
    expect([copied.status, copied.body.dataset_id === id]).toEqual([201, false]);
    expect((await owner.get(`/api/v1/datasets/${id}`)).status).toBe(200);
  });

  it('are read and written with the scopes of experiments', async () => {
    const owner = await createCaller();
    const { dataset_id: id } = (await upload(owner, NDJSON, '{"input":"a"}')).body;
    const [reader, writer] = [await keyOf(owner, ['experiments:read']), await keyOf(owner, ['experiments'])];
    expect((await reader.get(`/api/v1/datasets/${id}/rows`)).status).toBe(200);
    expect((await writer.get(`/api/v1/datasets/${id}/rows`)).body.error.details.required_scope).toBe(
      'experiments:read',
    );
    expect((await reader.delete(`/api/v1/datasets/${id}`)).body.error.details.required_scope).toBe('experiments');
    expect((await upload(writer, NDJSON, '{"input":"b"}')).status).toBe(201);
  });

  it('of the same name and content that are sent at the same time are one', async () => {
    const caller = await createCaller();
    const body = ndjson(Array.from({ length: 200 }, (_, index) => ({ input: `${randomUUID()} ${index}` })));
    const statuses = (await Promise.all(Array.from({ length: 6 }, () => upload(caller, NDJSON, body)))).map(
      ({ status }) => status,
    );
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(statuses.every((status) => [200, 201, 429].includes(status))).toBe(true);
    expect((await caller.get('/api/v1/datasets')).body.datasets).toHaveLength(1);
  });
});
