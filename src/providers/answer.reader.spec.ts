import { readAnswer, type AnswerProtocol } from './answer.reader';
import type { Completion } from './provider';
import { ProviderError } from './provider.error';
import { VendorResponse } from './vendor.response';

const SSE = 'text/event-stream; charset=utf-8';
const ANSWER: Completion = { text: 'whole', finishReason: 'stop', usage: undefined };

/** A protocol in which each event is a piece of the text, and the last one ends in a full stop. */
class PieceProtocol implements AnswerProtocol<string> {
  private text = '';

  add(piece: string): string {
    this.text += piece;
    return piece;
  }

  complete(): Completion {
    if (!this.text.endsWith('.')) throw new ProviderError('invalid_answer', { afterFirstByte: true });
    return { ...ANSWER, text: this.text };
  }

  whole(body: unknown): Completion {
    return { ...ANSWER, text: String(body) };
  }
}

/** A response whose body the test hands in, and a wire that keeps a log. */
function response(contentType?: string): { given: VendorResponse; wire: string[] } {
  const wire: string[] = [];
  const headers = new Headers(contentType === undefined ? {} : { 'content-type': contentType });
  const given = new VendorResponse(200, headers, { leave: () => wire.push('left'), cut: () => wire.push('cut') });
  return { given, wire };
}

const events = (...pieces: string[]) => pieces.map((piece) => `data: ${JSON.stringify(piece)}\n\n`).join('');

/** Reads a body that is whole from the start: the pieces, and the answer that came after them. */
async function readAll(body: string, contentType?: string): Promise<{ pieces: string[]; answer: Completion; wire: string[] }> {
  const { given, wire } = response(contentType);
  given.push(Buffer.from(body));
  given.finish();
  const pieces: string[] = [];
  const answer = await readAnswer(given, new PieceProtocol(), (text) => pieces.push(text));
  return { pieces, answer, wire };
}

describe('reading an answer', () => {
  test('tells every piece of a stream and then gives the whole', async () => {
    expect(await readAll(events('one ', 'two', '.'), SSE)).toMatchObject({ pieces: ['one ', 'two', '.'], answer: { ...ANSWER, text: 'one two.' } });
  });

  test('tells a piece the moment it has come', async () => {
    const { given } = response(SSE);
    const pieces: string[] = [];
    const reading = readAnswer(given, new PieceProtocol(), (text) => pieces.push(text));
    given.push(Buffer.from(events('one ')));
    expect(pieces).toEqual(['one ']);
    given.push(Buffer.from(events('two.')));
    expect(pieces).toEqual(['one ', 'two.']);
    given.finish();
    expect(await reading).toMatchObject({ text: 'one two.' });
  });

  test('leaves out events without text', async () => {
    expect((await readAll(events('one', '', '', '.'), SSE)).pieces).toEqual(['one', '.']);
  });

  test('ends with [DONE], whether or not the vendor ends there too, and tells nothing of what follows', async () => {
    const { given, wire } = response(SSE);
    const pieces: string[] = [];
    const reading = readAnswer(given, new PieceProtocol(), (text) => pieces.push(text));
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
  ])('fails when the connection breaks %s, but not before what had come was told', async (_, isEarly) => {
    const { given } = response(SSE);
    const pieces: string[] = [];
    const read = () => readAnswer(given, new PieceProtocol(), (text) => pieces.push(text));
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
  ])('takes an event named error for a failure, %s', async (_, body, code) => {
    const { given, wire } = response(SSE);
    given.push(Buffer.from(body));
    await expect(readAnswer(given, new PieceProtocol(), () => undefined)).rejects.toMatchObject({ code, afterFirstByte: true });
    expect(wire).toEqual(['cut']);
  });

  test.each(['nonsense', '{"half": '])('does not make anything of the event %j, and lets go of the rest', async (data) => {
    const { given, wire } = response(SSE);
    const reading = readAnswer(given, new PieceProtocol(), () => undefined);
    given.push(Buffer.from(`data: ${data}\n\n${events('one.')}`));
    await expect(reading).rejects.toBeInstanceOf(SyntaxError);
    expect(wire).toEqual(['cut']);
  });

  test('takes an answer in one piece from a server that does not stream', async () => {
    expect(await readAll('"hello"', 'application/json')).toMatchObject({ pieces: ['hello'], answer: { ...ANSWER, text: 'hello' } });
    expect((await readAll('\uFEFF"hello"', 'application/vnd.api+json; charset=utf-8')).pieces).toEqual(['hello']);
  });

  test('tells no piece of an empty answer', async () => {
    expect(await readAll('""', 'application/json')).toMatchObject({ pieces: [], answer: { ...ANSWER, text: '' } });
  });

  test.each([
    ['a page', '<html>Bad gateway</html>', 'text/html'],
    ['plain text', 'ok', 'text/plain'],
    ['nothing at all', '', undefined],
    ['bytes of no type', '\u0001', undefined],
  ])('knows that %s is no answer, and lets go of it', async (_, body, type) => {
    const { given, wire } = response(type);
    given.push(Buffer.from(body));
    await expect(readAnswer(given, new PieceProtocol(), () => undefined)).rejects.toMatchObject({ code: 'invalid_answer', afterFirstByte: true });
    expect(wire).toEqual(['cut']);
  });
});
