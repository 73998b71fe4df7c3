import { Columns } from './columns';
import { Faults } from './faults';
import { splitJsonRows } from './split-json-rows';
import { MAX_ROW_BYTES } from './split-records';

const NO_COLUMNS = new Columns({ names: {}, skip: [] });

async function* inChunks(text: string, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function rowsOf(text: string, size = 3): Promise<[number, unknown][]> {
  const rows: [number, unknown][] = [];
  for await (const { line, bytes } of splitJsonRows(inChunks(text, size), new Faults('Row'), NO_COLUMNS))
    rows.push([line, JSON.parse(bytes.toString())]);
  return rows;
}

describe('splitJsonRows', () => {
  const ROWS = [{ input: 'a, "b"] \\' }, { input: 'é{', variables: { a: ']' } }, [1, [2, '\\"']], 'x,y', 7, null];

  it.each([1, 2, 3, 7, 1000])('gives each element of rows with its position, in chunks of %d bytes', async (size) => {
    const expected = ROWS.map((row, index) => [index + 1, row]);
    expect(await rowsOf(JSON.stringify({ rows: ROWS }), size)).toEqual(expected);
    expect(await rowsOf(`\uFEFF\n${JSON.stringify({ rows: ROWS }, null, 2)}\r\n`, size)).toEqual(expected);
  });

  it('gives none of an empty list', async () => {
    for (const body of ['{"rows": [ ]}', '[]', ' [ ] ', '{"more":1,"data":[],"n":{}}'])
      expect(await rowsOf(body)).toEqual([]);
  });

  it.each([
    '{}',
    '{"rows":{}}',
    '{"rows":[],"data":[]}',
    '{"more":[],"rows":[]}',
    '{"more":[1]}',
    '"x"',
    `${' '.repeat(2000)}{"rows":[]}`,
  ])('refuses %s', async (body) => {
    await expect(rowsOf(body)).rejects.toMatchObject({ code: 'invalid_request', param: 'rows' });
  });

  it.each(['{"rows":[]}}', '{"rows":[]} x', "{'rows':1}", '{"rows":', '{"rows":[]', '{"rows":[],'])(
    'refuses %j, which is not JSON',
    async (body) => {
      await expect(rowsOf(body)).rejects.toMatchObject({
        code: 'invalid_json',
        message: 'The body is not valid JSON.',
      });
    },
  );

  it.each(['', '{"rows":[', '{"rows":[{"input":"a"}', '{"rows":[{"input":"a],"}'])(
    'refuses %j, which ends too early',
    async (body) => {
      await expect(rowsOf(body)).rejects.toMatchObject({ code: 'invalid_json' });
    },
  );

  it.each([
    ['{"rows":[1,]}', 2],
    ['{"rows":[,1]}', 1],
    ['{"rows":[1,,2]}', 2],
  ])('refuses %s, in which a row is missing', async (body, line) => {
    await expect(rowsOf(body)).rejects.toMatchObject({
      details: { faults: [{ line, problem: 'is missing beside a comma' }] },
    });
  });

  it('reads no further than a row that is too long', async () => {
    const row = `"${'x'.repeat(MAX_ROW_BYTES - 2)}"`;
    expect(await rowsOf(`{"rows":[1,${row}]}`, 65_536)).toHaveLength(2);
    await expect(rowsOf(`{"rows":[1,${row} ]}`, 65_536)).rejects.toMatchObject({
      details: { faults: [{ line: 2, problem: 'is longer than 262,144 bytes' }] },
    });
    let chunks = 0;
    async function* endless(): AsyncGenerator<Buffer> {
      for (;;) yield Buffer.from(chunks++ === 0 ? '{"rows":["' : '['.repeat(65_536));
    }
    await expect(splitJsonRows(endless(), new Faults('Row'), NO_COLUMNS).next()).rejects.toThrow(
      'Row 1 is longer than 262,144 bytes',
    );
    expect(chunks).toBe(5);
  });
});
