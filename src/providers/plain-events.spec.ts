import { globSync, readFileSync } from 'node:fs';
import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { MessageAccumulator } from './anthropic/message-accumulator';
import { CHAT_VENDORS } from './chat-vendors';
import { ChatAccumulator } from './openai/chat-accumulator';
import { PlainEvents } from './plain-events';
import type { Completion } from './provider';
import type { ResponseAccumulator } from './read-response';

type Json = Record<string, unknown>;
type Accumulator = ResponseAccumulator<Json>;

const chat = () => new ChatAccumulator(CHAT_VENDORS.openai) as unknown as Accumulator;
const messages = () => new MessageAccumulator() as unknown as Accumulator;

/** The result of a stream: the text of each event, the answer or the failure, and the number of fully parsed events. */
interface Reading {
  texts: string[];
  end: Completion | string;
  parsed: number;
}

function readBy(accumulator: Accumulator, stream: readonly string[], textOf: (data: string) => string): Omit<Reading, 'parsed'> {
  const texts: string[] = [];
  try {
    for (const data of stream) texts.push(textOf(data));
    return { texts, end: accumulator.complete() };
  } catch (error) {
    return { texts, end: String(error) };
  }
}

function readParsingAll(accumulator: Accumulator, stream: readonly string[]): Omit<Reading, 'parsed'> {
  return readBy(accumulator, stream, (data) => accumulator.add(JSON.parse(data) as Json));
}

function readPlain(accumulator: Accumulator, stream: readonly string[]): Reading {
  const plainEvents = new PlainEvents<Json>((event) => accumulator.plainStrings(event));
  let parsed = 0;
  const reading = readBy(accumulator, stream, (data) => {
    const text = plainEvents.textOf(data);
    if (text !== undefined) {
      accumulator.addText(text);
      return text;
    }
    parsed += 1;
    const event = JSON.parse(data) as Json;
    const added = accumulator.add(event);
    plainEvents.learn(data, event);
    return added;
  });
  return { ...reading, parsed };
}

function eventsIn(file: string): string[] {
  const events: string[] = [];
  createParser({ onEvent: ({ data }) => events.push(data) }).feed(readFileSync(file, 'utf8'));
  return events.filter((data) => data !== '[DONE]');
}

const chunk = (content: unknown, members: Json = {}, choice: Json = {}, delta: Json = {}) =>
  JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: { ...delta, content }, finish_reason: null, ...choice }], ...members });
const delta = (text: unknown, index = 0) => JSON.stringify({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } });

/** Every stream of it is read alike with and without the shortcut. @returns how many events had to be parsed */
function expectSame(stream: readonly string[], create: () => Accumulator = chat): number {
  const { parsed, ...reading } = readPlain(create(), stream);
  expect(reading).toEqual(readParsingAll(create(), stream));
  return parsed;
}

const WORDS = ['', ' ', 'Bonjour', ' "quoted"', 'two\nlines', 'back\\slash', ':', ',', '},{', 'content', 'text', 'é', '\u2028', '😀', '\u0000', 'a'];
const words = (count: number) => Array.from({ length: count }, (_, index) => WORDS[index % WORDS.length] ?? '');

describe('PlainEvents', () => {
  test.each(globSync('test/fixtures/*/*stream*.txt'))('reads %s as if each event was parsed, and again with any text in it', (file) => {
    const create = file.includes('anthropic') ? messages : chat;
    const events = eventsIn(file);
    expectSame(events, create);
    fc.assert(fc.property(fc.array(fc.string({ unit: 'binary' })), (texts) => {
      const again = (data: string) => texts.map((text) => data.replaceAll(/(?<="(?:content|text)":)"(?:[^"\\]|\\.)*"/g, () => JSON.stringify(text)));
      expectSame(events.flatMap((data) => [data, ...again(data), data]), create);
    }), { numRuns: 30 });
  });

  test('parses only the first of the events that differ in their text', () => {
    expect(expectSame(['begin', ...words(200)].map((text) => chunk(text)))).toBe(1);
    expect(expectSame(['begin', ...words(200)].map((text) => delta(text)), messages)).toBe(1);
  });

  test.each(['obfuscation', 'p'])('parses only the first of the events that differ in their text and their padding, %s', (padding) => {
    expect(expectSame(['begin', ...words(200)].map((text, index) => chunk(text, { usage: null, [padding]: 'x7Qa'.repeat(index % 5) })))).toBe(1);
  });

  test('learns again when something else changes', () => {
    const stream = [1, 2, 3, 4, 5, 6, 7, 8].flatMap((created) => words(20).map((text) => chunk(`.${text}`, { created })));
    expect(expectSame(stream)).toBe(8);
  });

  test('stops trying where every event differs in something else', () => {
    const accumulator = chat();
    const asked = jest.spyOn(accumulator, 'plainStrings');
    const stream = Array.from({ length: 100 }, (_, created) => chunk('word', { created }));
    expect(readPlain(accumulator, stream).parsed).toBe(100);
    expect(asked.mock.calls.length).toBeLessThan(10);
  });

  test('learns nothing from an event without text, as reasoning comes', () => {
    const reasoning = Array.from({ length: 50 }, (_, index) => chunk('', {}, {}, { reasoning: `step ${index}` }));
    expect(expectSame([...reasoning, ...words(50).map((text) => chunk(`.${text}`))])).toBe(51);
  });

  test('parses whatever does more than add text', () => {
    const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
    const others = [
      chunk('b', { usage }), chunk('b', { x_groq: { usage: { ...usage, completion_tokens: 9 } } }), chunk('b', {}, { finish_reason: 'stop' }), chunk(null, {}, { finish_reason: 'length' }),
      chunk('b', {}, {}, { refusal: 'no' }), chunk('b', { error: 'bad' }), chunk('b', { object: 'error' }), chunk([{ type: 'text', text: 'b' }]), chunk(null),
    ];
    for (const one of others) for (const other of others) {
      expectSame([chunk('a', {}, { finish_reason: 'stop' }), chunk('c'), one, other, one.replaceAll('"b"', '"d"')]);
      for (const finish of ['stop', 'content_filter']) expectSame([chunk('', {}, { finish_reason: finish }), one, one.replaceAll('"b"', '"d"')]);
    }
  });

  test('is not misled by the same string in another position', () => {
    const twice = (id: string, content: string) => `{"id":"${id}","choices":[{"delta":{"content":"${content}"}}]}`;
    expectSame([twice('a', '\\u0061'), twice('b', '\\u0061'), twice('a', 'c'), twice('a', 'd'), twice('a', 'a'), twice('e', 'a')]);
    const doubled = (first: string, second: string) => `{"choices":[{"delta":{"content":"${first}","content":"${second}"}}]}`;
    expectSame([doubled('a', '\\u0061'), doubled('b', '\\u0061'), doubled('a', 'c'), doubled('a', 'd')]);
    const padded = (object: string) => `{"choices":[{"delta":{"content":"a"}}],"object":"${object}","obfuscation":"\\u0070"}`;
    expectSame([padded('p'), padded('p'), padded('error')]);
  });

  test('is not misled by text that looks like what follows it', () => {
    const odd = ['"}}]}', '"},"finish_reason":null}]', '","obfuscation":"', '\\"', '", "content":"x', '"'];
    for (const text of odd) {
      expectSame([chunk('a'), chunk(text), chunk('b')]);
      expectSame(['', 'p', text].flatMap((obfuscation) => [chunk('a', { obfuscation }), chunk(text, { obfuscation })]));
      // And unescaped, which may not be JSON.
      expectSame([chunk('a'), chunk('b'), chunk('@').replace('@', () => text), chunk('c')]);
      expectSame([chunk('a', { obfuscation: 'p' }), chunk('b', { obfuscation: '@' }).replace('@', () => text), chunk('c', { obfuscation: 'q' })]);
    }
  });

  test('reads any events like JSON.parse', () => {
    const member = fc.oneof(fc.string(), fc.constantFrom(null, 0, 1, '', 'error', 'stop', 'text_delta'), fc.object({ maxDepth: 1 }));
    const object = (keys: readonly string[], most: object = {}) => fc.record({ ...Object.fromEntries(keys.map((key) => [key, member])), ...most }, { requiredKeys: [] });
    const chunks = fc.record({ content: fc.array(fc.string({ unit: 'binary' })), delta: object(['role', 'refusal', 'reasoning']), choice: object(['finish_reason', 'index']), members: object(['id', 'error', 'object', 'usage', 'obfuscation', 'p']) });
    fc.assert(fc.property(fc.array(chunks, { maxLength: 5 }), (parts) => {
      expectSame(parts.flatMap((part) => part.content.map((content) => chunk(content, part.members, part.choice, part.delta))));
    }), { numRuns: 300 });
  });
});
