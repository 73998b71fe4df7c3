import { createHash } from 'node:crypto';
import { Faults } from './faults';
import { RowsReader, type Row } from './read-rows';
import { csvMembers, jsonMembers } from './row-members';
import { splitJsonRows } from './split-json-rows';
import { splitRecords } from './split-records';

const NAMES = { input: 'input', expected: 'expected', group: 'group', id: 'id' };

async function* of(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

async function read(format: 'csv' | 'ndjson' | 'json', content: string, names = NAMES, maxRows = 100) {
  const faults = new Faults('Line');
  const reader = new RowsReader(maxRows, faults, async () => []);
  const records = format === 'json' ? splitJsonRows(of(content), faults) : splitRecords(of(content), faults, { quotes: format === 'csv' });
  const members = (format === 'csv' ? csvMembers : jsonMembers)(records, names, faults);
  const rows: Row[] = [];
  for await (const row of reader.read(members)) rows.push(row);
  return { rows, ...reader.summary() };
}

describe('RowsReader', () => {
  it('gives the same content one hash in every format and order of members, and another content another one', async () => {
    const contents = [
      await read('ndjson', '{"input":"a","expected":"b","variables":{"x":"1","y":"2"}}\n{"input":"c","variables":{"x":"","y":"3"}}'),
      await read('ndjson', '{"variables":{"y":"2","x":"1"},"expected":"b","input":"a","group":null}\r\n\r\n{"item":{"variables":{"y":"3","x":""},"input":"c","expected":""}}\r\n'),
      await read('json', '{"rows": [{"input":"a","expected":"b","variables":{"x":"1","y":"2"}},\n {"input":"c","variables":{"x":"","y":"3"}}]}'),
      await read('csv', 'input,expected,x,y\na,b,1,2\nc,,,3\n'),
      await read('csv', '\uFEFF y ,answer,x,question\r\n"2","b",1,a\r\n3,,"",c', { ...NAMES, input: 'question', expected: 'answer' }),
    ];
    expect(new Set(contents.map(({ sha256, bytes }) => `${sha256} ${bytes}`)).size).toBe(1);
    for (const other of ['{"input":"a"}', '{"input":"a","group":"b"}', '{"expected":"a","input":"b"}', '{"variables":{"a":"a"}}', '{"variables":{"b":"a"}}', '{"input":"a","id":"x"}', '{"input":"a","checks":[1]}', '{"input":"a"}\n{"input":"a"}']) contents.push(await read('ndjson', other));
    expect(new Set(contents.map(({ sha256 }) => sha256)).size).toBe(9);
  });

  it('hashes one canonical line for each row', async () => {
    const { sha256, rows: [row] } = await read('ndjson', '{"input":"é","id":"x"}');
    expect([row?.rowId, sha256]).toEqual(['x', createHash('sha256').update('["x","é",null,null,null,null]\n').digest('hex')]);
  });

  it('counts different groups, and names members and variables', async () => {
    const { groupCount, rowCount, columns } = await read('csv', 'input,group,tone\na,g1,x\nb,g1,y\nc,g2,z\nd,,w\n');
    expect({ groupCount, rowCount, columns }).toEqual({ groupCount: 2, rowCount: 4, columns: ['group', 'input', 'tone'] });
  });

  it('has at most 100 names of variables together', async () => {
    const line = (index: number) => JSON.stringify({ variables: Object.fromEntries(Array.from({ length: 20 }, (_, one) => [`v${index}_${one}`, 'x'])) });
    expect((await read('ndjson', [0, 1, 2, 3, 4].map(line).join('\n'))).columns).toHaveLength(100);
    await expect(read('ndjson', [0, 1, 2, 3, 4, 5].map(line).join('\n'))).rejects.toMatchObject({ details: { faults: [{ line: 6, problem: expect.stringContaining('at most 100 names') }] } });
  });

  it('says that there is no row only if nothing else is wrong', async () => {
    await expect(read('ndjson', 'a\nb')).rejects.toMatchObject({ details: { faults: [{ line: 1 }, { line: 2, problem: expect.stringContaining('JSON') }] } });
    await expect(read('csv', 'input\n')).rejects.toMatchObject({ details: { faults: [{ line: 1, problem: expect.stringContaining('has no row') }] } });
  });

  it('says that it stopped reading after 20 faults', async () => {
    await expect(read('ndjson', '{\n'.repeat(20))).rejects.toThrow('nothing was stored. After 20 faults, the rest was not read.');
    await expect(read('ndjson', '{\n'.repeat(19))).rejects.toThrow(/nothing was stored\.$/);
  });

  it('takes no name that every object has for a member', async () => {
    await expect(read('ndjson', '{"input":"a","constructor":"x"}')).rejects.toThrow('has the member "constructor"');
    await expect(read('ndjson', '{"__proto__":{"input":"a"}}')).rejects.toThrow('has the member "__proto__"');
    expect((await read('csv', 'input,constructor\na,b')).rows[0]?.variables).toEqual(Object.fromEntries([['constructor', 'b']]));
  });

  it('refuses a column that took the name of another member', async () => {
    await expect(read('csv', 'input,question\na,b\n', { ...NAMES, input: 'question' })).rejects.toThrow('"input" is no name of a variable');
    await expect(read('ndjson', '{"input":"a","question":"b"}', { ...NAMES, input: 'question' })).rejects.toThrow('has the member "input"');
  });

  it('passes on errors of the service while it reads checks', async () => {
    const reader = new RowsReader(10, new Faults('Line'), () => Promise.reject(new Error('no thread')));
    await expect(reader.read(jsonMembers(splitRecords(of('{"input":"a","checks":[1]}'), new Faults('Line'), { quotes: false }), NAMES, new Faults('Line'))).next()).rejects.toThrow('no thread');
  });
});
