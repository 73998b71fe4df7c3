import { readAnswer, type AnswerProtocol, type Decode } from './answer.reader';
import type { Completion } from './provider';
import { ProviderError } from './provider.error';

const SSE = 'text/event-stream; charset=utf-8';
const ANSWER: Completion = { text: 'whole', finishReason: 'stop', usage: undefined };

/** Events are the lines of the body. */
async function* lines(response: Response): AsyncGenerator<string> {
  const body = await response.text();
  yield* body === '' ? [] : body.split('\n');
}

/** A protocol in which each event is a piece of the text, and the last one ends in a full stop. */
class LineProtocol implements AnswerProtocol<string> {
  private text = '';

  add(line: string): string {
    this.text += line;
    return line;
  }

  complete(): Completion {
    if (!this.text.endsWith('.')) throw new ProviderError('invalid_answer', { afterFirstByte: true });
    return { ...ANSWER, text: this.text };
  }

  whole(body: unknown): Completion {
    return { ...ANSWER, text: String(body) };
  }
}

function response(body: ConstructorParameters<typeof Response>[0], contentType?: string): Response {
  return new Response(body, { headers: contentType === undefined ? {} : { 'content-type': contentType } });
}

/** Reads to the end: the pieces, and the answer that came after them. */
async function readAll(given: Response, options: { signal?: AbortSignal; decode?: Decode<string> } = {}): Promise<{ pieces: string[]; answer: Completion }> {
  const pieces: string[] = [];
  const reading = readAnswer(given, options.decode ?? lines, new LineProtocol(), options.signal ?? new AbortController().signal);
  for (let step = await reading.next(); ; step = await reading.next()) {
    if (step.done === true) return { pieces, answer: step.value };
    pieces.push(step.value);
  }
}

describe('reading an answer', () => {
  test('gives every piece of a stream as it comes and then the whole', async () => {
    expect(await readAll(response('one \ntwo\n.', SSE))).toEqual({ pieces: ['one ', 'two', '.'], answer: { ...ANSWER, text: 'one two.' } });
  });

  test('leaves out events without text', async () => {
    expect((await readAll(response('one\n\n\n.', SSE))).pieces).toEqual(['one', '.']);
  });

  test.each(['', 'one\ntwo'])('fails when the stream %j ends too early', async (body) => {
    await expect(readAll(response(body, SSE))).rejects.toMatchObject({ code: 'invalid_answer' });
  });

  test('fails when it was called off, though the stream ended like a finished one', async () => {
    const abort = new AbortController();
    const decode: Decode<string> = async function* (given) {
      yield* lines(given);
      abort.abort(new Error('called off'));
    };
    await expect(readAll(response('one.', SSE), { signal: abort.signal, decode })).rejects.toThrow('called off');
  });

  test('takes an answer in one piece from a server that does not stream', async () => {
    expect(await readAll(response('"hello"', 'application/json'))).toEqual({ pieces: ['hello'], answer: { ...ANSWER, text: 'hello' } });
    expect((await readAll(response('"hello"', 'application/vnd.api+json; charset=utf-8'))).pieces).toEqual(['hello']);
  });

  test('gives no piece for an empty answer', async () => {
    expect(await readAll(response('""', 'application/json'))).toEqual({ pieces: [], answer: { ...ANSWER, text: '' } });
  });

  test.each([
    ['a page', '<html>Bad gateway</html>', 'text/html'],
    ['plain text', 'ok', 'text/plain'],
    ['nothing at all', null, undefined],
    ['bytes of no type', new Uint8Array([1, 2, 3]), undefined],
  ])('knows that %s is no answer', async (_, body, type) => {
    await expect(readAll(response(body, type))).rejects.toMatchObject({ code: 'invalid_answer', afterFirstByte: true });
  });

  test('lets go of a body that it does not read', async () => {
    let isReleased = false;
    const body = new ReadableStream({ cancel: () => { isReleased = true; } });
    await expect(readAll(response(body, 'text/html'))).rejects.toBeInstanceOf(ProviderError);
    expect(isReleased).toBe(true);
  });
});
