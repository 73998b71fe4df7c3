import { mapCallError } from '../call-vendor';
import type { Completion } from '../provider';
import { readResponse } from '../read-response';
import { responseLimits } from '../response-limits';
import { VendorResponse } from '../transport/vendor-response';
import { MessageAccumulator } from './message-accumulator';

/** Which model answered under which id, as the first event says. */
const ORIGIN = { responseId: 'm1', responseModel: 'claude-haiku-4-5' };
const NO_COUNTS = { inputTokens: 0, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 0, reasoningTokens: 0 };

interface Event {
  type: string;
  [member: string]: unknown;
}

const start = (usage: object = { input_tokens: 504, output_tokens: 1 }): Event => ({
  type: 'message_start',
  message: { id: 'm1', model: 'claude-haiku-4-5', type: 'message', role: 'assistant', content: [], usage },
});
const text = (piece: string): Event => ({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'text_delta', text: piece },
});
const delta = (reason: string | null, usage: object = { output_tokens: 10 }): Event => ({
  type: 'message_delta',
  delta: { stop_reason: reason, stop_sequence: null },
  usage,
});
/** Matches one of our failures with these members. */
const failure = (members: object) => expect.objectContaining(members) as Error;
const STOP: Event = { type: 'message_stop' };

/** A streamed response of these events, as the vendor writes it. */
function streamed(events: readonly Event[]): VendorResponse {
  const body = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
  const headers = { 'content-type': 'text/event-stream; charset=utf-8' };
  const response = new VendorResponse(200, headers, { release: () => undefined, abort: () => undefined });
  response.push(Buffer.from(body));
  response.finish();
  return response;
}

/** Reads as the strategy does: the pieces and the whole, or one of our failures. */
async function read(events: readonly Event[]): Promise<{ pieces: string[]; answer: Completion }> {
  const pieces: string[] = [];
  try {
    return {
      pieces,
      answer: await readResponse(streamed(events), new MessageAccumulator(), responseLimits(500), (piece) =>
        pieces.push(piece),
      ),
    };
  } catch (error) {
    throw mapCallError(error, true);
  }
}

describe('A streamed message', () => {
  test('consists of its pieces of text, without pings, thinking and the frames of blocks', async () => {
    const events: Event[] = [
      start(),
      { type: 'ping' },
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hmm' } },
      { type: 'content_block_stop', index: 0 },
      text('Good '),
      text('morning'),
      { type: 'an_event_of_tomorrow' },
      delta('end_turn'),
      STOP,
    ];
    expect(await read(events)).toEqual({
      pieces: ['Good ', 'morning'],
      answer: {
        text: 'Good morning',
        finishReason: 'stop',
        ...ORIGIN,
        usage: { ...NO_COUNTS, inputTokens: 504, outputTokens: 10 },
      },
    });
  });

  test.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['pause_turn', 'other'],
    [null, 'other'],
  ])('ends, with the stop reason %s, as %s', async (reason, finish) => {
    expect((await read([start(), text('a'), delta(reason), STOP])).answer.finishReason).toBe(finish);
  });

  test('is truncated, not failed, with an empty text that thinking used up', async () => {
    const usage = { output_tokens: 500, output_tokens_details: { thinking_tokens: 500 } };
    expect(await read([start(), delta('max_tokens', usage), STOP])).toEqual({
      pieces: [],
      answer: {
        text: '',
        finishReason: 'length',
        ...ORIGIN,
        usage: { ...NO_COUNTS, inputTokens: 504, outputTokens: 500, reasoningTokens: 500 },
      },
    });
  });

  test('is refused content when the model refused', async () => {
    await expect(read([start(), text('I '), delta('refusal'), STOP])).rejects.toMatchObject({
      code: 'content_refused',
      retryable: false,
      afterFirstByte: true,
    });
  });

  test.each([
    ['its last event', [start(), text('a'), delta('end_turn')]],
    ['its last two events', [start(), text('half an ans')]],
    ['all events', []],
  ])('is an invalid answer without %s', async (_, events) => {
    await expect(read(events)).rejects.toMatchObject({ code: 'invalid_answer', afterFirstByte: true });
  });

  test.each([
    ['overloaded_error', 'overloaded'],
    ['rate_limit_error', 'rate_limited'],
    ['api_error', 'unavailable'],
  ])('fails, when it breaks with %s, as %s', async (type, code) => {
    const broken: Event = { type: 'error', error: { type, message: 'x' } };
    await expect(read([start(), text('a'), broken])).rejects.toMatchObject({ code, afterFirstByte: true });
  });
});

describe('An event of a streamed message', () => {
  test.each([null, 5, 'text', true])('is an invalid answer when it is %j', (event) => {
    expect(() => new MessageAccumulator().add(event as never)).toThrow(failure({ code: 'invalid_answer' }));
  });
});

describe('The token counts of a streamed message', () => {
  const counts = async (first: object, last: object) =>
    (await read([start(first), text('a'), delta('end_turn', last), STOP])).answer.usage;
  const opening = {
    input_tokens: 504,
    cache_read_input_tokens: 123,
    cache_creation_input_tokens: 10,
    output_tokens: 1,
  };
  const all = { ...NO_COUNTS, inputTokens: 637, cachedInputTokens: 123, cacheWriteTokens: 10, outputTokens: 97 };

  test.each<[string, object, object, object | undefined]>([
    [
      'the closing output replaces the opening one and is not added',
      { input_tokens: 504, output_tokens: 1 },
      { output_tokens: 97 },
      { ...NO_COUNTS, inputTokens: 504, outputTokens: 97 },
    ],
    ['counts that the closing event leaves out stay', opening, { output_tokens: 97 }, all],
    [
      'counts that the closing event leaves null stay',
      opening,
      { input_tokens: null, cache_read_input_tokens: null, cache_creation_input_tokens: null, output_tokens: 97 },
      all,
    ],
    ['counts that the closing event repeats are not counted twice', opening, { ...opening, output_tokens: 97 }, all],
    [
      'counts that the closing event corrects are the corrected ones',
      { input_tokens: 1, output_tokens: 1 },
      { ...opening, output_tokens: 97 },
      all,
    ],
    [
      'a zero is a count',
      opening,
      { cache_read_input_tokens: 0, output_tokens: 97 },
      { ...all, inputTokens: 514, cachedInputTokens: 0 },
    ],
    [
      'an input that nobody counted is unknown',
      { input_tokens: null, output_tokens: 1 },
      { output_tokens: 97 },
      undefined,
    ],
  ])('follow the events: %s', async (_, first, last, counted) => {
    expect(await counts(first, last)).toEqual(counted);
  });

  test.each([null, undefined])('stay as the opening event gave them where the closing one has %p', async (none) => {
    const last = { ...delta('end_turn'), usage: none };
    expect((await read([start(opening), text('a'), last, STOP])).answer.usage).toEqual({ ...all, outputTokens: 1 });
  });

  test('contain no output where only the closing event arrived and it counts none', async () => {
    expect((await read([delta('end_turn', { input_tokens: 7 }), STOP])).answer.usage).toEqual({
      ...NO_COUNTS,
      inputTokens: 7,
    });
  });

  test('come from the closing event alone when there was no opening one', async () => {
    expect(
      (await read([text('a'), delta('end_turn', { input_tokens: 7, output_tokens: 3 }), STOP])).answer.usage,
    ).toEqual({ ...NO_COUNTS, inputTokens: 7, outputTokens: 3 });
    expect((await read([text('a'), delta('end_turn'), STOP])).answer.usage).toBeUndefined();
  });

  // Compatible servers are not held to Anthropic's types; a missing count must end in the cautious estimate, never in a
  // broken run.
  test('are unknown when they are absent', async () => {
    expect(await counts({}, { output_tokens: 97 })).toBeUndefined();
  });
});

describe('A message in one piece', () => {
  const whole = (body: unknown) => () => new MessageAccumulator().fromBody(body);
  const content = [
    { type: 'thinking', thinking: 'hmm' },
    { type: 'note_of_tomorrow', text: 'no part of the answer' },
    { type: 'text', text: 'Good ' },
    { type: 'text', text: 'morning' },
  ];

  test('is read like a streamed one', () => {
    const body = {
      id: 'm1',
      model: 'claude-haiku-4-5',
      type: 'message',
      content,
      stop_reason: 'end_turn',
      usage: { input_tokens: 504, output_tokens: 97 },
    };
    expect(whole(body)()).toEqual({
      text: 'Good morning',
      finishReason: 'stop',
      ...ORIGIN,
      usage: { ...NO_COUNTS, inputTokens: 504, outputTokens: 97 },
    });
    expect(whole({ content: [], stop_reason: 'max_tokens' })()).toEqual({
      text: '',
      finishReason: 'length',
      usage: undefined,
    });
  });

  test('is refused content when the model refused', () => {
    expect(whole({ content, stop_reason: 'refusal' })).toThrow(failure({ code: 'content_refused' }));
  });

  test('may be an error behind a successful status', () => {
    expect(whole({ type: 'error', error: { type: 'overloaded_error', message: 'x' } })).toThrow(
      failure({ code: 'overloaded', afterFirstByte: false }),
    );
    expect(whole({ error: { type: 'overloaded_error', message: 'x' }, content })).toThrow(
      failure({ code: 'overloaded', afterFirstByte: true }),
    );
    // Counts say that the vendor has charged, so the call must not be repeated.
    expect(
      whole({ error: { type: 'overloaded_error', message: 'x' }, usage: { input_tokens: 3, output_tokens: 1 } }),
    ).toThrow(failure({ code: 'overloaded', afterFirstByte: true }));
  });

  test.each<[string, unknown]>([
    ['null', null],
    ['an empty object', {}],
    ['a text', 'hello'],
    ['a number', 5],
    ['a list', []],
    ['content that is no list', { content: 'hello' }],
  ])('is an invalid answer when it is %s', (_, body) => {
    expect(whole(body)).toThrow(failure({ code: 'invalid_answer' }));
  });
});
