import { APIConnectionError, APIError, APIUserAbortError } from '@anthropic-ai/sdk';
import { MessageAccumulator, toMessageRequest, toProviderError, convertAnthropicUsage, type MessageUsage } from './anthropic.translate';
import type { Completion, CompletionRequest } from './provider';
import { ProviderError } from './provider.error';
import { readResponse } from './read-response';
import { responseLimits } from './response-limits';
import { StreamingResponse } from './transport/streaming-response';

/** Which model answered under which id, as the first event says. */
const ORIGIN = { responseId: 'm1', responseModel: 'claude-haiku-4-5' };
const REQUEST: CompletionRequest = { model: 'claude-haiku-4-5', prompt: 'Say {input} & $& "é"', maxTokens: 500, temperature: 0.7, dialect: { maxTokensField: 'max_tokens', apiVersion: '2023-06-01' } };
const NO_COUNTS = { inputTokens: 0, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 0, reasoningTokens: 0 };

interface Event {
  type: string;
  [member: string]: unknown;
}

const start = (usage: object = { input_tokens: 504, output_tokens: 1 }): Event => ({ type: 'message_start', message: { id: 'm1', model: 'claude-haiku-4-5', type: 'message', role: 'assistant', content: [], usage } });
const text = (piece: string): Event => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: piece } });
const delta = (reason: string | null, usage: object = { output_tokens: 10 }): Event => ({ type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage });
/** Matches one of our failures with these members. */
const failure = (members: object) => expect.objectContaining(members) as Error;
const STOP: Event = { type: 'message_stop' };

/** A streamed response of these events, as the vendor writes it. */
function streamed(events: readonly Event[]): StreamingResponse {
  const body = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
  const headers = { 'content-type': 'text/event-stream; charset=utf-8' };
  const response = new StreamingResponse(200, headers, { release: () => undefined, abort: () => undefined });
  response.push(Buffer.from(body));
  response.finish();
  return response;
}

/** Reads as the strategy does: the pieces and the whole, or one of our failures. */
async function read(events: readonly Event[]): Promise<{ pieces: string[]; answer: Completion }> {
  const pieces: string[] = [];
  try {
    return { pieces, answer: await readResponse(streamed(events), new MessageAccumulator(), responseLimits(500), (piece) => pieces.push(piece)) };
  } catch (error) {
    throw toProviderError(error, true);
  }
}

describe('A Messages API request', () => {
  test('contains the prompt unchanged and asks for a stream', () => {
    expect(toMessageRequest(REQUEST)).toEqual({
      model: 'claude-haiku-4-5', max_tokens: 500, messages: [{ role: 'user', content: 'Say {input} & $& "é"' }], stream: true, temperature: 0.7,
    });
  });

  test('omits the temperature where the model takes none, and keeps a zero', () => {
    expect(toMessageRequest({ ...REQUEST, temperature: undefined })).not.toHaveProperty('temperature');
    expect(toMessageRequest({ ...REQUEST, temperature: 0 })).toHaveProperty('temperature', 0);
  });
});

describe('A streamed message', () => {
  test('consists of its pieces of text, without pings, thinking and the frames of blocks', async () => {
    const events: Event[] = [
      start(), { type: 'ping' }, { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hmm' } }, { type: 'content_block_stop', index: 0 },
      text('Good '), text('morning'), { type: 'an_event_of_tomorrow' }, delta('end_turn'), STOP,
    ];
    expect(await read(events)).toEqual({
      pieces: ['Good ', 'morning'],
      answer: { text: 'Good morning', finishReason: 'stop', ...ORIGIN, usage: { ...NO_COUNTS, inputTokens: 504, outputTokens: 10 } },
    });
  });

  test.each([
    ['end_turn', 'stop'], ['stop_sequence', 'stop'], ['max_tokens', 'length'], ['model_context_window_exceeded', 'length'], ['pause_turn', 'other'], [null, 'other'],
  ])('ends, with the stop reason %s, as %s', async (reason, finish) => {
    expect((await read([start(), text('a'), delta(reason), STOP])).answer.finishReason).toBe(finish);
  });

  test('is truncated, not failed, with an empty text that thinking used up', async () => {
    const usage = { output_tokens: 500, output_tokens_details: { thinking_tokens: 500 } };
    expect(await read([start(), delta('max_tokens', usage), STOP])).toEqual({
      pieces: [], answer: { text: '', finishReason: 'length', ...ORIGIN, usage: { ...NO_COUNTS, inputTokens: 504, outputTokens: 500, reasoningTokens: 500 } },
    });
  });

  test('is refused content when the model refused', async () => {
    await expect(read([start(), text('I '), delta('refusal'), STOP])).rejects.toMatchObject({ code: 'content_refused', retryable: false, afterFirstByte: true });
  });

  test.each([
    ['its last event', [start(), text('a'), delta('end_turn')]],
    ['its last two events', [start(), text('half an ans')]],
    ['all events', []],
  ])('is an invalid answer without %s', async (_, events) => {
    await expect(read(events)).rejects.toMatchObject({ code: 'invalid_answer', afterFirstByte: true });
  });

  test.each([['overloaded_error', 'overloaded'], ['rate_limit_error', 'rate_limited'], ['api_error', 'unavailable']])('fails, when it breaks with %s, as %s', async (type, code) => {
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
  const counts = async (first: object, last: object) => (await read([start(first), text('a'), delta('end_turn', last), STOP])).answer.usage;
  const opening = { input_tokens: 504, cache_read_input_tokens: 123, cache_creation_input_tokens: 10, output_tokens: 1 };
  const all = { ...NO_COUNTS, inputTokens: 637, cachedInputTokens: 123, cacheWriteTokens: 10, outputTokens: 97 };

  test.each<[string, object, object, object | undefined]>([
    ['the closing output replaces the opening one and is not added', { input_tokens: 504, output_tokens: 1 }, { output_tokens: 97 }, { ...NO_COUNTS, inputTokens: 504, outputTokens: 97 }],
    ['counts that the closing event leaves out stay', opening, { output_tokens: 97 }, all],
    ['counts that the closing event leaves null stay', opening, { input_tokens: null, cache_read_input_tokens: null, cache_creation_input_tokens: null, output_tokens: 97 }, all],
    ['counts that the closing event repeats are not counted twice', opening, { ...opening, output_tokens: 97 }, all],
    ['counts that the closing event corrects are the corrected ones', { input_tokens: 1, output_tokens: 1 }, { ...opening, output_tokens: 97 }, all],
    ['a zero is a count', opening, { cache_read_input_tokens: 0, output_tokens: 97 }, { ...all, inputTokens: 514, cachedInputTokens: 0 }],
    ['an input that nobody counted is unknown', { input_tokens: null, output_tokens: 1 }, { output_tokens: 97 }, undefined],
  ])('follow the events: %s', async (_, first, last, counted) => {
    expect(await counts(first, last)).toEqual(counted);
  });

  test.each([null, undefined])('stay as the opening event gave them where the closing one has %p', async (none) => {
    const last = { ...delta('end_turn'), usage: none };
    expect((await read([start(opening), text('a'), last, STOP])).answer.usage).toEqual({ ...all, outputTokens: 1 });
  });

  test('contain no output where only the closing event arrived and it counts none', async () => {
    expect((await read([delta('end_turn', { input_tokens: 7 }), STOP])).answer.usage).toEqual({ ...NO_COUNTS, inputTokens: 7 });
  });

  test('come from the closing event alone when there was no opening one', async () => {
    expect((await read([text('a'), delta('end_turn', { input_tokens: 7, output_tokens: 3 }), STOP])).answer.usage).toEqual({ ...NO_COUNTS, inputTokens: 7, outputTokens: 3 });
    expect((await read([text('a'), delta('end_turn'), STOP])).answer.usage).toBeUndefined();
  });

  // Compatible servers are not held to Anthropic's types; a missing count must end in the cautious estimate, never in a broken run.
  test('are unknown when they are absent', async () => {
    expect(await counts({}, { output_tokens: 97 })).toBeUndefined();
  });
});

describe('The token counts of a message', () => {
  test.each<[string, MessageUsage, object]>([
    ['plain ones', { input_tokens: 504, output_tokens: 97 }, { ...NO_COUNTS, inputTokens: 504, outputTokens: 97 }],
    ['cache reads stand beside the input', { input_tokens: 504, cache_read_input_tokens: 123, output_tokens: 97 }, { ...NO_COUNTS, inputTokens: 627, cachedInputTokens: 123, outputTokens: 97 }],
    ['cache writes stand beside the input', { input_tokens: 504, cache_creation_input_tokens: 10, output_tokens: 97 }, { ...NO_COUNTS, inputTokens: 514, cacheWriteTokens: 10, outputTokens: 97 }],
    ['thinking stands inside the output', { input_tokens: 4, output_tokens: 97, output_tokens_details: { thinking_tokens: 90 } }, { ...NO_COUNTS, inputTokens: 4, outputTokens: 97, reasoningTokens: 90 }],
    ['nulls are none', { input_tokens: 4, cache_read_input_tokens: null, cache_creation_input_tokens: null, output_tokens: 9, output_tokens_details: null }, { ...NO_COUNTS, inputTokens: 4, outputTokens: 9 }],
  ])('have the same meaning as those of every vendor: %s', (_, usage, counted) => {
    expect(convertAnthropicUsage(usage)).toMatchObject(counted);
  });

  test('are unknown when the input was not counted', () => {
    expect(convertAnthropicUsage({ input_tokens: null, output_tokens: 9 })).toBeUndefined();
  });

  test('are unknown when the output is no number', () => {
    expect(convertAnthropicUsage({ input_tokens: 4, output_tokens: '9' as unknown as number })).toBeUndefined();
  });
});

describe('A message in one piece', () => {
  const whole = (body: unknown) => () => new MessageAccumulator().fromBody(body);
  const content = [{ type: 'thinking', thinking: 'hmm' }, { type: 'note_of_tomorrow', text: 'no part of the answer' }, { type: 'text', text: 'Good ' }, { type: 'text', text: 'morning' }];

  test('is read like a streamed one', () => {
    const body = { id: 'm1', model: 'claude-haiku-4-5', type: 'message', content, stop_reason: 'end_turn', usage: { input_tokens: 504, output_tokens: 97 } };
    expect(whole(body)()).toEqual({ text: 'Good morning', finishReason: 'stop', ...ORIGIN, usage: { ...NO_COUNTS, inputTokens: 504, outputTokens: 97 } });
    expect(whole({ content: [], stop_reason: 'max_tokens' })()).toEqual({ text: '', finishReason: 'length', usage: undefined });
  });

  test('is refused content when the model refused', () => {
    expect(whole({ content, stop_reason: 'refusal' })).toThrow(failure({ code: 'content_refused' }));
  });

  test('may be an error behind a successful status', () => {
    expect(whole({ type: 'error', error: { type: 'overloaded_error', message: 'x' } })).toThrow(failure({ code: 'overloaded', afterFirstByte: true }));
  });

  test.each<[string, unknown]>([['null', null], ['an empty object', {}], ['a text', 'hello'], ['a number', 5], ['a list', []], ['content that is no list', { content: 'hello' }]])(
    'is an invalid answer when it is %s',
    (_, body) => {
      expect(whole(body)).toThrow(failure({ code: 'invalid_answer' }));
    },
  );
});

describe('An error that the Anthropic SDK throws', () => {
  const headers = new Headers({ 'retry-after': '2' });
  const failed = (status: number, type: string, message = 'x') => toProviderError(APIError.generate(status, { type: 'error', error: { type, message } }, undefined, headers), false);

  test.each([
    [400, 'invalid_request_error', 'rejected'], [401, 'authentication_error', 'authentication_failed'], [402, 'billing_error', 'quota_exhausted'],
    [403, 'permission_error', 'authentication_failed'], [404, 'not_found_error', 'model_unavailable'], [413, 'request_too_large', 'context_too_long'],
    [429, 'rate_limit_error', 'rate_limited'], [500, 'api_error', 'unavailable'], [529, 'overloaded_error', 'overloaded'],
  ])('becomes, for %d %s, %s, with the time to wait', (status, type, code) => {
    expect(failed(status, type)).toMatchObject({ code, retryAfterMs: 2000, afterFirstByte: false });
  });

  test('keeps the message of the vendor and nothing of the SDK', () => {
    expect(failed(400, 'invalid_request_error', 'top_k is too high').message).toMatch(/It says: top_k is too high$/);
    expect(failed(400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum').code).toBe('context_too_long');
  });

  test('is a failed connection when there was no response', () => {
    for (const error of [new APIConnectionError({ message: 'x' }), new TypeError('terminated')]) {
      expect(toProviderError(error, false)).toMatchObject({ code: 'connection_failed', afterFirstByte: false, cause: error });
      expect(toProviderError(error, true)).toMatchObject({ code: 'connection_failed', afterFirstByte: true });
    }
  });

  test('always becomes a ProviderError, never stays an SDK error, and is never read twice', () => {
    const ours = new ProviderError('overloaded');
    expect(toProviderError(ours, true)).toBe(ours);
    expect(toProviderError(new SyntaxError('x'), true).code).toBe('invalid_answer');
    for (const error of [new APIUserAbortError(), undefined, null, 'boom', {}]) expect(toProviderError(error, true)).toBeInstanceOf(ProviderError);
  });
});
