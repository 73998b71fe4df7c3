import fc from 'fast-check';
import { SseDecoder, type ServerSentEvent } from './sse-decoder';

/** Decodes a body that comes in pieces cut at these bytes. */
function decoded(body: string | Buffer, cuts: readonly number[] = []): ServerSentEvent[] {
  const bytes = Buffer.from(body);
  const decoder = new SseDecoder();
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return ends.flatMap((end, index) => decoder.decode(bytes.subarray(index === 0 ? 0 : ends[index - 1], end)));
}

const event = (data: string, name = '') => ({ name, data });

describe('SseDecoder', () => {
  test.each<[string, string, ServerSentEvent[]]>([
    ['end with an empty line', 'data: a\n\ndata: b\n\n', [event('a'), event('b')]],
    ['may have a name', 'event: ping\ndata: {}\n\ndata: b\n\n', [event('{}', 'ping'), event('b')]],
    ['may end their lines with CR LF', 'event: e\r\ndata: a\r\n\r\ndata: b\r\n\r\n', [event('a', 'e'), event('b')]],
    ['may end their lines with CR', 'data: a\r\rdata: b\r\r', [event('a'), event('b')]],
    ['may mix their line ends', 'data: a\r\n\ndata: b\r\r\ndata: c\n\r', [event('a'), event('b'), event('c')]],
    ['may have data of several lines', 'data: a\ndata:\ndata: b\n\n', [event('a\n\nb')]],
    ['lose one space after the colon, no more', 'data:a\n\ndata:  b \n\n', [event('a'), event(' b ')]],
    ['may have empty data', 'data\n\ndata:\n\n', [event(''), event('')]],
    ['are ignored without data', 'event: a\n\n\n\ndata: b\n\n', [event('b')]],
    ['stand among comments and other fields', ': hello\n\n: a: b\nid: 7\nretry: 10\nwhat: ever\ndata: a\n\n', [event('a')]],
    ['may come behind a byte order mark', '\uFEFFdata: a\n\n', [event('a')]],
    ['are dropped when they are cut off', 'data: a\n\ndata: b\n', [event('a')]],
    ['are distinguished from fields that begin like theirs', 'database: a\ndata: b\n\n', [event('b')]],
  ])('decodes a stream whose events %s', (_, body, events) => {
    expect(decoded(body)).toEqual(events);
  });

  test('returns events the moment their last byte arrives', () => {
    const decoder = new SseDecoder();
    expect(decoder.decode(Buffer.from('data: a\n'))).toEqual([]);
    expect(decoder.decode(Buffer.from('\nda'))).toEqual([event('a')]);
    expect(decoder.decode(Buffer.from('ta: b\r'))).toEqual([]);
    expect(decoder.decode(Buffer.from('\n\r'))).toEqual([event('b')]);
  });

  test('removes a byte order mark that arrives byte by byte, and only at the beginning', () => {
    const decoder = new SseDecoder();
    const pieces = [...Buffer.from('\uFEFFdata: a\n\n')].flatMap((byte) => decoder.decode(Buffer.from([byte])));
    expect(pieces).toEqual([event('a')]);
    expect(decoder.decode(Buffer.from('\uFEFFdata: b\n\ndata: c\n\n'))).toEqual([event('c')]);
  });

  test('reads one line end where CR and LF arrive with nothing between them', () => {
    const decoder = new SseDecoder();
    expect(['data: a\r', '', '\ndata: b\r', '', '\n\r\n'].flatMap((piece) => decoder.decode(Buffer.from(piece)))).toEqual([event('a\nb')]);
  });

  test('decodes bytes that are no UTF-8', () => {
    expect(decoded(Buffer.from([...Buffer.from('data: '), 0xff, ...Buffer.from('\n\n')]))).toEqual([event('\uFFFD')]);
  });

  test('returns the same events wherever the bytes are split', () => {
    const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
    const line = fc.oneof(fc.constant(''), fc.string({ unit: 'grapheme', maxLength: 8 }).map((text) => `data: ${text}`), fc.constantFrom(': comment', 'event: näme', 'data', 'id: 1'));
    const body = fc.array(fc.tuple(line, lineEnd), { maxLength: 12 }).map((lines) => lines.flat().join(''));
    fc.assert(fc.property(body, fc.array(fc.nat(500), { maxLength: 20 }), (text, cuts) => {
      expect(decoded(text, cuts)).toEqual(decoded(text));
    }), { numRuns: 500 });
  });

  test('decodes one very long line in time proportional to its length', () => {
    const decoder = new SseDecoder();
    const piece = Buffer.from('x'.repeat(64));
    decoder.decode(Buffer.from('data: '));
    for (let i = 0; i < 100_000; i += 1) decoder.decode(piece);
    expect(decoder.decode(Buffer.from('\n\n'))[0]?.data).toHaveLength(6_400_000);
  });
});
