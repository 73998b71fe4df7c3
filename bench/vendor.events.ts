/**
 * The events that the vendors stream, in the form and size of OpenAI's and Anthropic's, prepared in advance, one HTTP chunk each.
 * The first text carries the microsecond at which it was sent, `[t:001234567890]`. The last one carries the microseconds that the whole answer took,
 * `[00050123us]`, so that the vendor's own time can be subtracted.
 */
export const STAMP = /\[t:(\d{12})\]/g;
export const CLOCK = /\[(\d{8})us\]/g;

const STAMP_TEXT = '[t:000000000000]';
const CLOCK_TEXT = '[00000000us]';
const WORD = ' comparisons';
const INPUT_TOKENS = 40;
/** The tokens of the stamp and of the clock. */
const EXTRA_TOKENS = 24;

/** The events of a vendor's answer. */
interface Events {
  opening: readonly string[];
  text(text: string): string;
  closing(outputTokens: number): readonly string[];
}

const data = (members: object) => `data: ${JSON.stringify(members)}\n\n`;
const named = (type: string, members: object) => `event: ${type}\n${data({ type, ...members })}`;

const CHUNK = { id: 'chatcmpl-CcA1b2C3d4E5f6G7h8I9j0K1', object: 'chat.completion.chunk', created: 1_795_000_000, model: 'gpt-4.1-mini-2025-04-14', service_tier: 'default', system_fingerprint: 'fp_6f2eabb9a5' };
const chat = (delta: object, finishReason: string | null) => data({ ...CHUNK, choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }], usage: null, obfuscation: 'x7Qa' });
const MESSAGE = { id: 'msg_01AbCdEfGhIjKlMnOpQrStUv', type: 'message', role: 'assistant', model: 'claude-haiku-4-5-20251001', content: [], stop_reason: null, stop_sequence: null };

const CHAT: Events = {
  opening: [chat({ role: 'assistant', content: '', refusal: null }, null)],
  text: (content) => chat({ content }, null),
  closing: (tokens) => [
    chat({}, 'stop'), data({ ...CHUNK, choices: [], usage: { prompt_tokens: INPUT_TOKENS, completion_tokens: tokens, total_tokens: INPUT_TOKENS + tokens }, obfuscation: '' }), 'data: [DONE]\n\n',
  ],
};
const MESSAGES: Events = {
  opening: [
    named('message_start', { message: { ...MESSAGE, usage: { input_tokens: INPUT_TOKENS, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1, service_tier: 'standard' } } }),
    named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }), named('ping', {}),
  ],
  text: (text) => named('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
  closing: (tokens) => [
    named('content_block_stop', { index: 0 }), named('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: tokens } }), named('message_stop', {}),
  ],
};

/** The bytes of an answer in the order in which they are sent: headers and opening, the texts, the end. */
export type Answer = readonly Buffer[];

const answers = new Map<string, Answer>();

/** The answer of a vendor with `texts` events of text, 2 or more. */
export function answerOf(vendor: string, texts: number): Answer {
  const key = `${vendor} ${texts}`;
  const answer = answers.get(key) ?? newAnswer(vendor === 'anthropic' ? MESSAGES : CHAT, texts);
  answers.set(key, answer);
  return answer;
}

function newAnswer(events: Events, texts: number): Answer {
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\nconnection: keep-alive\r\n\r\n';
  const word = Buffer.from(chunk(events.text(WORD)));
  return [
    Buffer.from(head + events.opening.map(chunk).join('')), Buffer.from(chunk(events.text(STAMP_TEXT))), ...Array.from({ length: texts - 2 }, () => word), Buffer.from(chunk(events.text(CLOCK_TEXT))),
    Buffer.from(`${events.closing(texts + EXTRA_TOKENS).map(chunk).join('')}0\r\n\r\n`),
  ];
}

function chunk(event: string): string {
  return `${Buffer.byteLength(event).toString(16)}\r\n${event}\r\n`;
}

/** A copy with the current time and the time since the request, if it has room for them. */
export function stamped(bytes: Buffer, begunMicros: number): Buffer {
  const copy = Buffer.from(bytes);
  const now = nowMicros();
  for (const [mark, skipped, digits] of [[STAMP_TEXT, 3, String(now).padStart(12, '0')], [CLOCK_TEXT, 1, String(now - begunMicros).padStart(8, '0')]] as const) {
    const at = bytes.indexOf(mark);
    if (at >= 0) copy.write(digits, at + skipped, 'latin1');
  }
  return copy;
}

/** Microseconds of the clock that all processes of a machine share. */
export function nowMicros(): number {
  return Number((process.hrtime.bigint() / 1000n) % 1_000_000_000_000n);
}
