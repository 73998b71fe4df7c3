/**
 * The events that the vendors stream: in the form and size of each of the four vendors, prepared in advance, one HTTP chunk each.
 * The first text carries the microsecond at which it was sent, `[t:001234567890]`, the last one the microseconds that the whole answer took, `[00050123us]`,
 * so that the vendor's own time can be taken off.
 */
export const STAMP = /\[t:(\d{12})\]/g;
export const CLOCK = /\[(\d{8})us\]/g;

const STAMP_TEXT = '[t:000000000000]';
const CLOCK_TEXT = '[00000000us]';
const WORD = ' comparisons';
const INPUT_TOKENS = 40;
/** Those of the stamp and of the clock. */
const EXTRA_TOKENS = 24;

/** The events of an answer of one vendor. */
interface Events {
  opening: readonly string[];
  text(text: string): string;
  closing(outputTokens: number): readonly string[];
}

const usageOf = (outputTokens: number) => ({ prompt_tokens: INPUT_TOKENS, completion_tokens: outputTokens, total_tokens: INPUT_TOKENS + outputTokens });
const data = (members: object) => `data: ${JSON.stringify(members)}\n\n`;
const named = (type: string, members: object) => `event: ${type}\n${data({ type, ...members })}`;
const DONE = 'data: [DONE]\n\n';

const OPENAI = { id: 'chatcmpl-CcA1b2C3d4E5f6G7h8I9j0K1', object: 'chat.completion.chunk', created: 1_795_000_000, model: 'gpt-4.1-mini-2025-04-14', service_tier: 'default', system_fingerprint: 'fp_6f2eabb9a5' };
const openAi = (delta: object, finishReason: string | null) => data({ ...OPENAI, choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }], usage: null, obfuscation: 'x7Qa' });

const GEMINI = { created: 1_795_000_000, id: 'aRkfaYjTEMq1xs0Pv4LZ8Ac', model: 'gemini-3.5-flash-lite', object: 'chat.completion.chunk' };
const gemini = (content: string, outputTokens: number, finish: object = {}) => data({ choices: [{ delta: { content, role: 'assistant' }, ...finish, index: 0 }], ...GEMINI, usage: usageOf(outputTokens) });

const MISTRAL = { id: '59060ef9339a4112b2c9e57e3ee6199d', object: 'chat.completion.chunk', created: 1_795_000_000, model: 'mistral-small-2603' };
const mistral = (delta: object, finishReason: string | null, usage: object | null = null) => data({ ...MISTRAL, choices: [{ index: 0, delta, finish_reason: finishReason }], usage, p: 'abcdefghijklmnopqrs' });

const MESSAGE = { id: 'msg_01AbCdEfGhIjKlMnOpQrStUv', type: 'message', role: 'assistant', model: 'claude-haiku-4-5-20251001', content: [], stop_reason: null, stop_sequence: null };
const MESSAGE_USAGE = { input_tokens: INPUT_TOKENS, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1, service_tier: 'standard' };

/** By the first part of the path. */
const VENDORS: Record<string, Events> = {
  openai: {
    opening: [openAi({ role: 'assistant', content: '', refusal: null }, null)],
    text: (content) => openAi({ content }, null),
    closing: (tokens) => [openAi({}, 'stop'), data({ ...OPENAI, choices: [], usage: usageOf(tokens), obfuscation: '' }), DONE],
  },
  anthropic: {
    opening: [named('message_start', { message: { ...MESSAGE, usage: MESSAGE_USAGE } }), named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }), named('ping', {})],
    text: (text) => named('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
    closing: (tokens) => [
      named('content_block_stop', { index: 0 }), named('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: tokens } }), named('message_stop', {}),
    ],
  },
  gemini: {
    opening: [],
    text: (content) => gemini(content, 1),
    closing: (tokens) => [gemini('', tokens, { finish_reason: 'stop' }), DONE],
  },
  mistral: {
    opening: [mistral({ role: 'assistant', content: '' }, null)],
    text: (content) => mistral({ content }, null),
    closing: (tokens) => [mistral({ content: '' }, 'stop', usageOf(tokens)), DONE],
  },
};

/** Bytes of an answer, in the order in which they are sent. */
export interface Answer {
  /** Headers and whatever comes before the first text. */
  opening: Buffer;
  first: Buffer;
  /** Any other text; all are the same. */
  word: Buffer;
  words: number;
  last: Buffer;
  closing: Buffer;
  /** All of it. */
  whole: Buffer;
}

const answers = new Map<string, Answer>();

/** The answer of a vendor with `count` events of text, 2 or more. */
export function answerOf(vendor: string, texts: number): Answer {
  const key = `${vendor} ${texts}`;
  const known = answers.get(key) ?? newAnswer(VENDORS[vendor], texts);
  answers.set(key, known);
  return known;
}

function newAnswer(events: Events | undefined, texts: number): Answer {
  if (events === undefined) throw new Error('No such vendor.');
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\nconnection: keep-alive\r\n\r\n';
  const parts = {
    opening: Buffer.from(`${head}${events.opening.map(chunk).join('')}`),
    first: Buffer.from(chunk(events.text(STAMP_TEXT))),
    word: Buffer.from(chunk(events.text(WORD))),
    last: Buffer.from(chunk(events.text(CLOCK_TEXT))),
    closing: Buffer.from(`${events.closing(texts + EXTRA_TOKENS).map(chunk).join('')}0\r\n\r\n`),
  };
  const words = texts - 2;
  return { ...parts, words, whole: Buffer.concat([parts.opening, parts.first, ...Array.from({ length: words }, () => parts.word), parts.last, parts.closing]) };
}

function chunk(event: string): string {
  return `${Buffer.byteLength(event).toString(16)}\r\n${event}\r\n`;
}

/** A copy with the time in it, where it has room for one: now, and since the request came. */
export function stamped(bytes: Buffer, begunMicros: number): Buffer {
  const copy = Buffer.from(bytes);
  const now = nowMicros();
  write(copy, STAMP_TEXT, 3, String(now).padStart(12, '0'));
  write(copy, CLOCK_TEXT, 1, String(now - begunMicros).padStart(8, '0'));
  return copy;
}

function write(bytes: Buffer, mark: string, skipped: number, digits: string): void {
  const at = bytes.indexOf(mark);
  if (at >= 0) bytes.write(digits, at + skipped, 'latin1');
}

/** Microseconds of the clock that all processes of a machine share. */
export function nowMicros(): number {
  return Number((process.hrtime.bigint() / 1000n) % 1_000_000_000_000n);
}
