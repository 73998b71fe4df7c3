import { Faults } from './faults';
import { MAX_ROW_BYTES, splitRecords } from './split-records';

async function* inChunks(text: string, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function recordsOf(text: string, { size = 3, quotes = false } = {}): Promise<[number, string][]> {
  const records: [number, string][] = [];
  for await (const { line, bytes } of splitRecords(inChunks(text, size), new Faults('Line'), { quotes }))
    records.push([line, bytes.toString()]);
  return records;
}

describe('splitRecords', () => {
  it.each([1, 2, 3, 7, 1000])(
    'splits lines and counts blank ones, whatever the chunks, here of %d bytes',
    async (size) => {
      expect(await recordsOf('\uFEFFé1\r\n\nb"2\r\n\r\nc', { size })).toEqual([
        [1, 'é1'],
        [3, 'b"2'],
        [5, 'c'],
      ]);
    },
  );

  it.each([1, 2, 3, 7, 1000])('keeps line ends inside of quotes, in chunks of %d bytes', async (size) => {
    expect(await recordsOf('a,"b\n""c""\r\n"\nd,e\n', { size, quotes: true })).toEqual([
      [1, 'a,"b\n""c""\r\n"'],
      [4, 'd,e'],
    ]);
  });

  it('has no record in an empty file', async () => {
    expect(await recordsOf('')).toEqual([]);
    expect(await recordsOf('\uFEFF\r\n')).toEqual([]);
  });

  it.each([false, true])('stops at a row that is a byte too long, at its line', async (quotes) => {
    const row = 'x'.repeat(MAX_ROW_BYTES);
    expect(await recordsOf(`a\n${row}\r\nb`, { size: 65_536, quotes })).toHaveLength(3);
    for (const end of ['', '\n', '\r\n', `${row}\n`])
      await expect(recordsOf(`a\n${row}x${end}`, { size: 65_536, quotes })).rejects.toMatchObject({
        details: { faults: [{ line: 2, problem: 'is longer than 262,144 bytes' }] },
      });
  });

  it('reads no further than a row that is too long', async () => {
    let chunks = 0;
    async function* endless(): AsyncGenerator<Buffer> {
      for (;;) {
        chunks += 1;
        yield Buffer.alloc(65_536, chunks === 1 ? '"' : ',');
      }
    }
    await expect(splitRecords(endless(), new Faults('Line'), { quotes: true }).next()).rejects.toThrow(
      'Line 1 is longer than 262,144 bytes',
    );
    expect(chunks).toBe(5);
  });
});
