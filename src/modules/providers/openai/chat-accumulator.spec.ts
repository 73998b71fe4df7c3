import { mapCallError } from '../call-vendor';
import { CHAT_VENDORS, type ChatVendorName } from '../chat-vendors';
import type { Completion } from '../provider';
import { readResponse } from '../read-response';
import { responseLimits } from '../response-limits';
import { VendorResponse } from '../transport/vendor-response';
import { ChatAccumulator } from './chat-accumulator';

/** Which model answered under which id, as all streamed chunks say. */
const ORIGIN = { responseId: 'c1', responseModel: 'gpt-4o-mini' };
const { openai: OPENAI } = CHAT_VENDORS;
const USAGE = { prompt_tokens: 1885, completion_tokens: 1508, total_tokens: 3393 };
const COUNTED = {
  inputTokens: 1885,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 1508,
  reasoningTokens: 0,
};

/** Matches one of our failures with these members. */
const failure = (members: object) => expect.objectContaining(members) as Error;

function chunk(content: string | null, finish: string | null = null): object {
  return {
    id: 'c1',
    object: 'chat.completion.chunk',
    model: 'gpt-4o-mini',
    choices: [{ index: 0, delta: content === null ? {} : { content }, finish_reason: finish }],
  };
}

/** A streamed response of these events, as the vendor writes it. */
function streamed(events: readonly unknown[], end = 'data: [DONE]\n\n'): VendorResponse {
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('') + end;
  const headers = { 'content-type': 'text/event-stream' };
  const response = new VendorResponse(200, headers, { release: () => undefined, abort: () => undefined });
  response.push(Buffer.from(body));
  response.finish();
  return response;
}

/** Reads as the strategy does: the pieces and the whole, or one of our failures. */
async function read(
  given: VendorResponse,
  vendor: ChatVendorName = 'openai',
): Promise<{ pieces: string[]; answer: Completion }> {
  const pieces: string[] = [];
  try {
    return {
      pieces,
      answer: await readResponse(given, new ChatAccumulator(CHAT_VENDORS[vendor]), responseLimits(500), (text) =>
        pieces.push(text),
      ),
    };
  } catch (error) {
    throw mapCallError(error, true);
  }
}

describe('A streamed chat completion', () => {
  test('consists of its pieces, its finish reason, and the counts of the last chunk, which has no choices', async () => {
    const events = [chunk(''), chunk('Good '), chunk('morning'), chunk(null, 'stop'), { choices: [], usage: USAGE }];
    expect(await read(streamed(events))).toEqual({
      pieces: ['Good ', 'morning'],
      answer: { text: 'Good morning', finishReason: 'stop', ...ORIGIN, usage: COUNTED },
    });
  });

  test('uses the last counts when a server repeats them in every chunk', async () => {
    const early = { prompt_tokens: 1885, completion_tokens: 1, total_tokens: 1886 };
    const events = [
      { ...chunk('a'), usage: early },
      { ...chunk('b', 'stop'), usage: USAGE },
      { choices: [], usage: null },
    ];
    expect((await read(streamed(events))).answer).toEqual({
      text: 'ab',
      finishReason: 'stop',
      ...ORIGIN,
      usage: COUNTED,
    });
  });

  test('is the choice of index 0 where there are several, and counts all', async () => {
    const several = (...choices: [index: number | undefined, content: string, finish: string | null][]) => ({
      ...chunk(null),
      choices: choices.map(([index, content, finish]) => ({ index, delta: { content }, finish_reason: finish })),
    });
    const events = [
      several([1, 'OTHER', null], [0, 'ze', null]),
      several([1, 'OTHER', 'length']),
      { ...several([0, 'ro', 'stop']), usage: null },
      { ...several([2, 'x', 'stop']), usage: USAGE },
    ];
    expect(await read(streamed(events))).toEqual({
      pieces: ['ze', 'ro'],
      answer: { text: 'zero', finishReason: 'stop', ...ORIGIN, usage: COUNTED },
    });
    expect((await read(streamed([several([undefined, 'a', 'stop'])]))).answer.text).toBe('a');
    await expect(read(streamed([several([1, 'a', 'stop'])]))).rejects.toMatchObject({ code: 'invalid_answer' });
    const body = {
      id: 'c1',
      model: 'gpt-4o-mini',
      choices: [
        { index: 1, message: { content: 'OTHER' }, finish_reason: 'length' },
        { index: 0, message: { content: 'zero' }, finish_reason: 'stop' },
      ],
    };
    expect(new ChatAccumulator(OPENAI).fromBody(body)).toMatchObject({ text: 'zero', finishReason: 'stop' });
  });

  test('is complete with its finish reason, also when the server counts nothing and never sends [DONE]', async () => {
    expect((await read(streamed([chunk('a', 'stop')], ''))).answer).toEqual({
      text: 'a',
      finishReason: 'stop',
      ...ORIGIN,
      usage: undefined,
    });
  });

  test('is an invalid answer without a finish reason, however much text arrived', async () => {
    await expect(read(streamed([chunk('half an ans')], ''))).rejects.toMatchObject({
      code: 'invalid_answer',
      afterFirstByte: true,
    });
    await expect(read(streamed([chunk('half'), { choices: [], usage: USAGE }]))).rejects.toMatchObject({
      code: 'invalid_answer',
    });
    await expect(read(streamed([]))).rejects.toMatchObject({ code: 'invalid_answer' });
  });

  test('is truncated, not failed, with an empty text that reasoning used up', async () => {
    const usage = {
      prompt_tokens: 1885,
      completion_tokens: 500,
      total_tokens: 2385,
      completion_tokens_details: { reasoning_tokens: 500 },
    };
    expect(await read(streamed([chunk(null, 'length'), { choices: [], usage }]))).toEqual({
      pieces: [],
      answer: {
        text: '',
        finishReason: 'length',
        ...ORIGIN,
        usage: { ...COUNTED, outputTokens: 500, reasoningTokens: 500 },
      },
    });
  });

  test.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['model_length', 'length'],
    ['tool_calls', 'other'],
    ['eos', 'other'],
  ])('ends, with the finish reason %s, as %s', async (finish, reason) => {
    expect((await read(streamed([chunk('a', finish)]))).answer.finishReason).toBe(reason);
  });

  test('is refused content when the content filter stopped it', async () => {
    await expect(read(streamed([chunk('I '), chunk(null, 'content_filter')]))).rejects.toMatchObject({
      code: 'content_refused',
      retryable: false,
      afterFirstByte: true,
    });
  });

  test('fails with the error of its error event', async () => {
    const error = { type: 'rate_limit_error', code: null, message: 'slow down' };
    await expect(read(streamed([chunk('a'), { error }]))).rejects.toMatchObject({
      code: 'rate_limited',
      afterFirstByte: true,
    });
  });

  test('is an invalid answer with an event that is no chunk', async () => {
    await expect(read(streamed([chunk('a'), null, chunk(null, 'stop')]))).rejects.toMatchObject({
      code: 'invalid_answer',
    });
  });
});

describe('A chat completion in one piece', () => {
  const whole = (body: unknown) => () => new ChatAccumulator(OPENAI).fromBody(body);

  test('is read like a streamed one', () => {
    const body = {
      id: 'c1',
      model: 'gpt-4o-mini',
      choices: [{ message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
      usage: USAGE,
    };
    expect(whole(body)()).toEqual({ text: 'hello', finishReason: 'stop', ...ORIGIN, usage: COUNTED });
    expect(whole({ choices: [{ message: { content: null }, finish_reason: 'length' }] })()).toEqual({
      text: '',
      finishReason: 'length',
      usage: undefined,
    });
  });

  test('is refused content when the content filter stopped it', () => {
    expect(whole({ choices: [{ message: { content: 'I' }, finish_reason: 'content_filter' }] })).toThrow(
      failure({ code: 'content_refused' }),
    );
  });

  test.each<[string, unknown, string]>([
    ['a used-up account', { type: 'insufficient_quota', code: 'insufficient_quota', message: 'x' }, 'quota_exhausted'],
    ['a status for its code', { code: 429, message: 'x' }, 'rate_limited'],
    ['words alone', 'boom', 'unavailable'],
  ])('may be an error behind a successful status: %s', (_, error, code) => {
    expect(whole({ error })).toThrow(failure({ code, afterFirstByte: false }));
  });

  test('may be a flat error, as Mistral writes it', () => {
    expect(whole({ object: 'error', message: 'x', type: 'service_tier_capacity_exceeded', code: '3505' })).toThrow(
      failure({ code: 'overloaded', afterFirstByte: false }),
    );
  });

  test('may be a list of one error, as Google writes it', () => {
    expect(whole([{ error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'x' } }])).toThrow(
      failure({ code: 'rate_limited', afterFirstByte: false }),
    );
  });

  test('may be an error beside an answer or its counts, which has perhaps been charged', () => {
    const error = { code: 503, message: 'x' };
    expect(whole({ error, choices: [{ message: { content: 'half' } }] })).toThrow(failure({ afterFirstByte: true }));
    expect(whole({ error, usage: USAGE })).toThrow(failure({ afterFirstByte: true }));
  });

  test.each<[string, unknown]>([
    ['null', null],
    ['an empty object', {}],
    ['no choices', { choices: [] }],
    ['a text', 'hello'],
    ['a number', 5],
  ])('is an invalid answer when it is %s', (_, body) => {
    expect(whole(body)).toThrow(failure({ code: 'invalid_answer' }));
  });
});

describe('The extensions of vendors to the protocol', () => {
  test('include content in parts, of which only the parts of text are the answer', async () => {
    const parts = {
      choices: [
        {
          index: 0,
          delta: {
            content: [
              { type: 'thinking', thinking: [] },
              { type: 'text', text: 'Good ' },
              { type: 'reference', text: 'no part of the answer' },
              { type: 'text' },
              { type: 'text', text: 'morning' },
            ],
          },
          finish_reason: 'stop',
        },
      ],
    };
    expect(await read(streamed([parts]), 'mistral')).toMatchObject({
      pieces: ['Good morning'],
      answer: { text: 'Good morning' },
    });
  });

  test('include counts in an event without choices', async () => {
    expect((await read(streamed([chunk('a', 'stop'), { usage: USAGE }]))).answer.usage).toEqual(COUNTED);
  });

  test('include counts in a separate member', async () => {
    const events = [chunk('a', 'stop'), { choices: [], x_groq: { usage: USAGE } }];
    expect((await read(streamed(events), 'groq')).answer.usage).toEqual(COUNTED);
  });

  test('include errors in a separate member', async () => {
    const events = [chunk('a'), { choices: [], x_groq: { error: 'Tool call validation failed' } }];
    await expect(read(streamed(events), 'groq')).rejects.toMatchObject({
      afterFirstByte: true,
      cause: expect.anything() as unknown,
    });
    await expect(read(streamed([{ x_groq: { error: 'rate_limit_exceeded' } }]), 'groq')).rejects.toMatchObject({
      code: 'rate_limited',
    });
  });

  test('include errors as a separate event', async () => {
    const error = {
      object: 'error',
      message: 'Service tier capacity exceeded for this model.',
      type: 'service_tier_capacity_exceeded',
      code: '3505',
    };
    await expect(read(streamed([chunk('a'), error]), 'mistral')).rejects.toMatchObject({
      code: 'overloaded',
      afterFirstByte: true,
    });
  });

  test.each<[ChatVendorName, string]>([
    ['mistral', 'error'],
    ['openrouter', 'error'],
    ['deepseek', 'insufficient_system_resource'],
  ])('include finish reasons of %s that mean an interruption: %s', async (vendor, finish) => {
    await expect(read(streamed([chunk('half'), chunk(null, finish)]), vendor)).rejects.toMatchObject({
      code: 'invalid_answer',
      retryable: true,
    });
  });

  test('include no such finish reasons for any other vendor', () => {
    const vendors = Object.entries(CHAT_VENDORS)
      .filter(([, { interruptedFinishReasons }]) => interruptedFinishReasons.length > 0)
      .map(([vendor]) => vendor);
    expect(vendors.sort()).toEqual(['deepseek', 'mistral', 'openrouter']);
  });

  test('include refusals in a separate member, which is the reason if no text arrived', async () => {
    const refusal = (text: string) => ({ choices: [{ index: 0, delta: { refusal: text }, finish_reason: null }] });
    await expect(read(streamed([refusal('I can'), refusal('not.'), chunk(null, 'stop')]))).rejects.toMatchObject({
      code: 'content_refused',
      message: expect.stringContaining('I cannot.') as string,
    });
  });

  test('include refusals beside a text, which stays the answer', async () => {
    const refusal = { choices: [{ index: 0, delta: { refusal: 'I will stop here.' }, finish_reason: null }] };
    expect((await read(streamed([chunk('Good morning'), refusal, chunk(null, 'stop')]))).answer).toMatchObject({
      text: 'Good morning',
      finishReason: 'stop',
    });
  });

  test('include the reported cost', async () => {
    const events = [chunk('a', 'stop'), { choices: [], usage: { ...USAGE, cost: 0.00118755 } }];
    expect((await read(streamed(events), 'openrouter')).answer.reportedCostUsd).toMatch(/^0\.001187550*$/);
    expect(
      (await read(streamed([chunk('a', 'stop'), { choices: [], usage: USAGE }]))).answer.reportedCostUsd,
    ).toBeUndefined();
  });
});
