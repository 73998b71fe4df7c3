import type { Completion } from './provider';
import { ProviderError } from './provider.error';
import { readResponse, type ResponseAccumulator } from './read-response';
import { VendorResponse } from './transport/vendor-response';

const SSE = 'text/event-stream; charset=utf-8';
/** More than any answer here needs. */
const LIMITS = { textBytes: 1000, streamBytes: 10_000 };
const ANSWER: Completion = { text: 'whole', finishReason: 'stop', usage: undefined };

/** A protocol in which each event is a piece of the text, and the last one ends in a full stop. */
class PieceProtocol implements ResponseAccumulator<string> {
  private text = '';

  add(piece: string): string {
    this.text += piece;
    return piece;
  }

  complete(): Completion {
    if (!this.text.endsWith('.')) throw new ProviderError('invalid_answer', { afterFirstByte: true });
    return { ...ANSWER, text: this.text };
  }

  fromBody(body: unknown): Completion {
    return { ...ANSWER, text: String(body) };
  }
}

/** A response whose body the test hands in, and a wire that keeps a log. */
function response(contentType?: string): { given: VendorResponse; wire: string[] } {
  const wire: string[] = [];
  const headers = { 'content-type': contentType };
  const given = new VendorResponse(200, headers, { release: () => wire.push('left'), abort: () => wire.push('cut') });
  return { given, wire };
}

const events = (...pieces: string[]) => pieces.map((piece) => `data: ${JSON.stringify(piece)}\n\n`).join('');

/** Reads a body that is whole from the start: the pieces, and the answer that came after them. */
async function readAll(
  body: string,
  contentType?: string,
): Promise<{ pieces: string[]; answer: Completion; wire: string[] }> {
  const { given, wire } = response(contentType);
  given.push(Buffer.from(body));
  given.finish();
  const pieces: string[] = [];
  const answer = await readResponse(given, new PieceProtocol(), LIMITS, (text) => pieces.push(text));
  return { pieces, answer, wire };
}

describe('readResponse', () => {
  test('reports every piece of a stream and then returns the whole', async () => {
    expect(await readAll(events('one ', 'two', '.'), SSE)).toMatchObject({
      pieces: ['one ', 'two', '.'],
      answer: { ...ANSWER, text: 'one two.' },
    });
  });

  test('reports a piece the moment it arrives', async () => {
    const { given } = response(SSE);
    const pieces: string[] = [];
    const reading = readResponse(given, new PieceProtocol(), LIMITS, (text) => pieces.push(text));
    given.push(Buffer.from(events('one ')));
    expect(pieces).toEqual(['one ']);
    given.push(Buffer.from(events('two.')));
    expect(pieces).toEqual(['one ', 'two.']);
    given.finish();
    expect(await reading).toMatchObject({ text: 'one two.' });
  });

  test('skips events without text', async () => {
    expect((await readAll(events('one', '', '', '.'), SSE)).pieces).toEqual(['one', '.']);
  });

  test('ends with [DONE], whether or not the vendor ends there too, and ignores what follows', async () => {
    const { given, wire } = response(SSE);
    const pieces: string[] = [];
    const reading = readResponse(given, new PieceProtocol(), LIMITS, (text) => pieces.push(text));
    given.push(Buffer.from(`${events('one.')}data: [DONE]\n\n${events('two.')}`));
    given.push(Buffer.from(events('three.')));
    expect(await reading).toMatchObject({ text: 'one.' });
    expect(pieces).toEqual(['one.']);
    expect(wire).toEqual(['left']);
  });

  test.each(['', events('one', 'two')])('fails when the stream %j ends too early', async (body) => {
    await expect(readAll(body, SSE)).rejects.toMatchObject({ code: 'invalid_answer' });
  });

  test.each([
    ['early', true],
    ['late', false],
  ])('fails when the connection breaks %s, but not before the arrived pieces were reported', async (_, isEarly) => {
    const { given } = response(SSE);
    const pieces: string[] = [];
    const read = () => readResponse(given, new PieceProtocol(), LIMITS, (text) => pieces.push(text));
    const late = isEarly ? undefined : read();
    given.push(Buffer.from(events('one.')));
    given.fail(new Error('broken'));
    given.push(Buffer.from(events('two.')));
    await expect(late ?? read()).rejects.toThrow('broken');
    expect(pieces).toEqual(['one.']);
  });

  test.each([
    ['as JSON', 'event: error\ndata: {"error":{"type":"overloaded_error"}}\n\n', 'overloaded'],
    ['as text', 'event: error\ndata: we are at capacity\n\n', 'unavailable'],
  ])('treats an event named error as a failure, %s', async (_, body, code) => {
    const { given, wire } = response(SSE);
    given.push(Buffer.from(body));
    await expect(readResponse(given, new PieceProtocol(), LIMITS, () => undefined)).rejects.toMatchObject({
      code,
      afterFirstByte: true,
    });
    expect(wire).toEqual(['cut']);
  });

  test.each(['nonsense', '{"half": '])('rejects the event %j, and releases the rest', async (data) => {
    const { given, wire } = response(SSE);
    const reading = readResponse(given, new PieceProtocol(), LIMITS, () => undefined);
    given.push(Buffer.from(`data: ${data}\n\n${events('one.')}`));
    await expect(reading).rejects.toBeInstanceOf(SyntaxError);
    expect(wire).toEqual(['cut']);
  });

  test('accepts an answer in one piece from a server that does not stream', async () => {
    expect(await readAll('"hello"', 'application/json')).toMatchObject({
      pieces: ['hello'],
      answer: { ...ANSWER, text: 'hello' },
    });
    expect((await readAll('\uFEFF"hello"', 'application/vnd.api+json; charset=utf-8')).pieces).toEqual(['hello']);
  });

  test('reports no piece of an empty answer', async () => {
    expect(await readAll('""', 'application/json')).toMatchObject({ pieces: [], answer: { ...ANSWER, text: '' } });
  });

  test.each([
    ['a page', '<html>Bad gateway</html>', 'text/html'],
    ['plain text', 'ok', 'text/plain'],
    ['nothing at all', '', undefined],
    ['bytes of no type', '\u0001', undefined],
  ])('rejects %s as an answer, and releases it', async (_, body, type) => {
    const { given, wire } = response(type);
    given.push(Buffer.from(body));
    await expect(readResponse(given, new PieceProtocol(), LIMITS, () => undefined)).rejects.toMatchObject({
      code: 'invalid_answer',
      afterFirstByte: true,
    });
    expect(wire).toEqual(['cut']);
  });
});

const TOO_LONG = {
  code: 'invalid_answer',
  afterFirstByte: true,
  message: 'The vendor sent far more than was asked for; its answer was broken off.',
};

describe('readResponse of an endless answer', () => {
  /** Reads a body of which the end never comes, in two chunks. */
  async function readEndless(
    body: string,
    limits: Partial<typeof LIMITS>,
    contentType = SSE,
  ): Promise<{ pieces: string[]; answer: Promise<Completion>; wire: string[] }> {
    const { given, wire } = response(contentType);
    const pieces: string[] = [];
    const answer = readResponse(given, new PieceProtocol(), { ...LIMITS, ...limits }, (text) => pieces.push(text));
    const [bytes, middle] = [Buffer.from(body), Math.floor(body.length / 2)];
    for (const chunk of [bytes.subarray(0, middle), bytes.subarray(middle)]) given.push(chunk);
    return { pieces, answer, wire };
  }

  test('aborts at the first byte of text beyond the limit', async () => {
    const { pieces, answer, wire } = await readEndless(events('12345', '678é', 'x', 'y'), { textBytes: 10 });
    await expect(answer).rejects.toMatchObject(TOO_LONG);
    expect([pieces, wire]).toEqual([['12345', '678é'], ['cut']]);
  });

  test.each([
    ['in events without text', events('', '', '', '', '')],
    ['in comments', ': keep-alive\n\n'.repeat(4)],
    ['in one line', `data: ${'x'.repeat(50)}`],
    ['in one event', 'data: x\n'.repeat(8)],
  ])('aborts at the first byte of the stream beyond the limit: %s', async (_, body) => {
    const { answer, wire } = await readEndless(body, { streamBytes: body.length - 1 });
    await expect(answer).rejects.toMatchObject(TOO_LONG);
    expect(wire).toEqual(['cut']);
  });

  test('aborts at the first byte of an answer in one piece beyond the limit of its text', async () => {
    const { answer, wire } = await readEndless('"12345678', { textBytes: 8 }, 'application/json');
    await expect(answer).rejects.toMatchObject(TOO_LONG);
    expect(wire).toEqual(['cut']);
  });

  test('accepts an answer that ends exactly at the limits', async () => {
    const body = `${events('12345', '678é')}${events('.')}data: [DONE]\n\n`;
    const { answer } = await readEndless(body, { textBytes: 11, streamBytes: Buffer.byteLength(body) });
    expect((await answer).text).toBe('12345678é.');
  });
});

describe('readResponse of a stream in chunks', () => {
  const BODY = `\uFEFF: hello\r\nevent: piece\r\ndata: "Gr\u00fc\u00dfe, "\r\n\r\ndata: "\u{1F600}"\n\ndata: "."\r\rdata: [DONE]\n\n`;

  test('reads the same text wherever the bytes are split, within characters and line ends too', async () => {
    const bytes = Buffer.from(BODY);
    for (let first = 0; first <= bytes.length; first += 1) {
      const { given } = response(SSE);
      const reading = readResponse(given, new PieceProtocol(), LIMITS, () => undefined);
      for (const chunk of [bytes.subarray(0, first), bytes.subarray(first, first + 1), bytes.subarray(first + 1)])
        given.push(chunk);
      given.finish();
      expect((await reading).text).toBe('Gr\u00fc\u00dfe, \u{1F600}.');
    }
  });

  test('does not count an event without its final empty line', async () => {
    await expect(readAll('data: "one"\n\ndata: "."\n', SSE)).rejects.toMatchObject({ code: 'invalid_answer' });
  });

  test('reads one very long line in time proportional to its length', async () => {
    const { given } = response(SSE);
    const limits = { textBytes: 10_000_000, streamBytes: 10_000_000 };
    const reading = readResponse(given, new PieceProtocol(), limits, () => undefined);
    given.push(Buffer.from('data: "'));
    const chunk = Buffer.from('x'.repeat(64));
    for (let i = 0; i < 100_000; i += 1) given.push(chunk);
    given.push(Buffer.from('."\n\n'));
    given.finish();
    expect((await reading).text).toHaveLength(6_400_001);
  });
});
