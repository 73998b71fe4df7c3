/**
 * The answers of the vendors, in the form and size of OpenAI's and Anthropic's, prepared in advance: as events, one
 * HTTP chunk each, or whole.
 * The text begins with the microsecond at which it was sent, `[t:001234567890]`. It ends with the microseconds that the
 * answer took, `[00050123us]`,
 * so that the vendor's own time can be subtracted.
 */
export const STAMP = /\[t:(\d{12})\]/g;
export const CLOCK = /\[(\d{8})us\]/g;

const STAMP_TEXT = '[t:000000000000]';
const CLOCK_TEXT = '[00000000us]';
const WORD = ' comparisons';
const INPUT_TOKENS = 40;
/** The models that the bench asks for. */
const CHAT_MODELS: Readonly<Record<string, string>> = {
  openai: 'gpt-4.1-mini-2025-04-14',
  gemini: 'gemini-3.5-flash-lite',
  mistral: 'mistral-small-2603',
};
/** The tokens of the stamp and of the clock. */
const EXTRA_TOKENS = 24;

/** The events of an answer, and the same answer whole. */
interface Protocol {
  opening: readonly string[];
  text: (text: string) => string;
  closing: (outputTokens: number) => readonly string[];
  whole: (text: string, outputTokens: number) => object;
}

const data = (members: object) => `data: ${JSON.stringify(members)}\n\n`;
const named = (type: string, members: object) => `event: ${type}\n${data({ type, ...members })}`;

const chatUsage = (tokens: number) => ({
  prompt_tokens: INPUT_TOKENS,
  completion_tokens: tokens,
  total_tokens: INPUT_TOKENS + tokens,
});
const MESSAGE = {
  id: 'msg_01AbCdEfGhIjKlMnOpQrStUv',
  type: 'message',
  role: 'assistant',
  model: 'claude-haiku-4-5-20251001',
  content: [],
  stop_reason: null,
  stop_sequence: null,
};
const messageUsage = (tokens: number) => ({
  input_tokens: INPUT_TOKENS,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: tokens,
  service_tier: 'standard',
});

/** Answers of chat completions by that model: another name than the requested one would be a substitute. */
function chatBy(model: string): Protocol {
  const id = {
    id: 'chatcmpl-CcA1b2C3d4E5f6G7h8I9j0K1',
    created: 1_795_000_000,
    model,
    service_tier: 'default',
    system_fingerprint: 'fp_6f2eabb9a5',
  };
  const part = { ...id, object: 'chat.completion.chunk' };
  const chat = (delta: object, finishReason: string | null) =>
    data({
      ...part,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
      usage: null,
      obfuscation: 'x7Qa',
    });
  return {
    opening: [chat({ role: 'assistant', content: '', refusal: null }, null)],
    text: (content) => chat({ content }, null),
    closing: (tokens) => [
      chat({}, 'stop'),
      data({ ...part, choices: [], usage: chatUsage(tokens), obfuscation: '' }),
      'data: [DONE]\n\n',
    ],
    whole: (content, tokens) => ({
      ...id,
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content, refusal: null, annotations: [] },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: {
        ...chatUsage(tokens),
        prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
      },
    }),
  };
}
const MESSAGES: Protocol = {
  opening: [
    named('message_start', { message: { ...MESSAGE, usage: messageUsage(1) } }),
    named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    named('ping', {}),
  ],
  text: (text) => named('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
  closing: (tokens) => [
    named('content_block_stop', { index: 0 }),
    named('message_delta', {
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: tokens },
    }),
    named('message_stop', {}),
  ],
  whole: (text, tokens) => ({
    ...MESSAGE,
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    usage: messageUsage(tokens),
  }),
};

const HEAD = 'HTTP/1.1 200 OK\r\nconnection: keep-alive\r\ncontent-type: ';
const answers = new Map<string, readonly Buffer[]>();

/**
 * The bytes of an answer with `texts` words (2 or more), in parts: headers and what is before the text, each event of
 * text or the whole text, the rest.
 */
export function answerOf(vendor: string, texts: number, isStreamed: boolean): readonly Buffer[] {
  const key = `${vendor} ${texts} ${isStreamed}`;
  const answer =
    answers.get(key) ??
    newAnswer(vendor === 'anthropic' ? MESSAGES : chatBy(CHAT_MODELS[vendor] ?? vendor), texts, isStreamed).map(
      (part) => Buffer.from(part),
    );
  answers.set(key, answer);
  return answer;
}

function newAnswer({ opening, text, closing, whole }: Protocol, texts: number, isStreamed: boolean): string[] {
  const [words, tokens] = [[STAMP_TEXT, ...Array<string>(texts - 2).fill(WORD), CLOCK_TEXT], texts + EXTRA_TOKENS];
  const events = (all: readonly string[]) => all.map(chunk).join('');
  if (isStreamed)
    return [
      `${HEAD}text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\n\r\n${events(opening)}`,
      ...words.map((word) => chunk(text(word))),
      `${events(closing(tokens))}0\r\n\r\n`,
    ];
  const output = words.join('');
  const body = JSON.stringify(whole(output, tokens));
  const [before = '', after = ''] = body.split(output);
  return [`${HEAD}application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${before}`, output, after];
}

function chunk(event: string): string {
  return `${Buffer.byteLength(event).toString(16)}\r\n${event}\r\n`;
}

/** A copy with the current time and the time since the request, if it has room for them. */
export function stamped(bytes: Buffer, begunMicros: number): Buffer {
  const copy = Buffer.from(bytes);
  const now = nowMicros();
  for (const [mark, skipped, digits] of [
    [STAMP_TEXT, 3, String(now).padStart(12, '0')],
    [CLOCK_TEXT, 1, String(now - begunMicros).padStart(8, '0')],
  ] as const) {
    const at = bytes.indexOf(mark);
    if (at >= 0) copy.write(digits, at + skipped, 'latin1');
  }
  return copy;
}

/** Microseconds of the clock that all processes of a machine share. */
export function nowMicros(): number {
  return Number((process.hrtime.bigint() / 1000n) % 1_000_000_000_000n);
}
