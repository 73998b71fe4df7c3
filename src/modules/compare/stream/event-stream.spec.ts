import { EventEmitter } from 'node:events';
import type { ErrorBody } from '../../../common/errors';
import { EventStream } from './event-stream';
import { StreamTimers } from './stream-timers';

const STARTED = { type: 'eval-started' as const, evalId: 'eval_1', models: ['a', 'b'] };
const FAILURE: ErrorBody = { error: { code: 'internal_error', message: 'ended', request_id: 'req_1' } };
const delta = (model: string, text: string) => ({ type: 'delta' as const, model, text });
const result = (model: string, output: string) => ({
  type: 'result-ready' as const,
  result: { model, output, error: null, warnings: [] } as never,
});

/** A response that keeps what is written to it, and takes more only while it is not full. */
class FakeResponse extends EventEmitter {
  destroyed = false;
  isFull = false;
  isEnded = false;
  readonly writes: string[] = [];

  write(chunk: string): boolean {
    if (this.isEnded) throw new Error('Written after its end.');
    this.writes.push(chunk);
    return !this.isFull;
  }

  end(chunk: string): this {
    this.write(chunk);
    this.isEnded = true;
    return this;
  }

  /** The events so far: id, name, and the text of a delta or the name of the model. */
  get events(): [id: number, name: string, model?: string, text?: string][] {
    return this.writes
      .join('')
      .split('\n\n')
      .filter((block) => block.startsWith('id: '))
      .map((block) => {
        const [, id, name, data] = /^id: (\d+)\nevent: (\S+)\ndata: (.*)$/.exec(block) ?? [];
        const { model, text } = JSON.parse(data ?? '') as { model?: string; text?: string };
        return [
          Number(id),
          name ?? '',
          ...(model === undefined ? [] : [model]),
          ...(text === undefined ? [] : [text]),
        ] as [number, string, string?, string?];
      });
  }
}

function createStream(timers = new StreamTimers(), response = new FakeResponse()) {
  return {
    response,
    timers,
    stream: new EventStream(response as unknown as ConstructorParameters<typeof EventStream>[0], timers, {}),
  };
}

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

describe('EventStream', () => {
  it('writes the first text of each model at once, and joins later texts for 20 ms into one frame for each model and one write', () => {
    const { stream, response } = createStream();
    stream.push(STARTED);
    stream.push(delta('a', '1'));
    stream.push(delta('b', '1'));
    expect(response.writes).toHaveLength(3);
    for (let i = 0; i < 50; i += 1) for (const model of ['a', 'b']) stream.push(delta(model, '.'));
    jest.advanceTimersByTime(19);
    expect(response.writes).toHaveLength(3);
    jest.advanceTimersByTime(1);
    expect(response.writes).toHaveLength(4);
    expect(response.events).toEqual([
      [1, 'eval-started'],
      [2, 'delta', 'a', '1'],
      [3, 'delta', 'b', '1'],
      [4, 'delta', 'a', '.'.repeat(50)],
      [5, 'delta', 'b', '.'.repeat(50)],
    ]);
  });

  it('joins again and again', () => {
    const { stream, response } = createStream();
    for (let i = 0; i < 5; i += 1) {
      stream.push(delta('a', `${i}`));
      jest.advanceTimersByTime(20);
    }
    expect(response.events.map(([, , , text]) => text)).toEqual(['0', '1', '2', '3', '4']);
  });

  it('writes results and its end at once, after the text that waited before them', () => {
    const { stream, response } = createStream();
    stream.push(STARTED);
    for (const text of ['1', '2']) for (const model of ['a', 'b']) stream.push(delta(model, text));
    stream.push(result('a', '12'));
    expect(response.events.slice(3)).toEqual([
      [4, 'delta', 'a', '2'],
      [5, 'delta', 'b', '2'],
      [6, 'result', 'a'],
    ]);
    stream.push(delta('b', '3'));
    stream.fail(FAILURE);
    expect(response.events.slice(6)).toEqual([
      [7, 'delta', 'b', '3'],
      [8, 'error'],
    ]);
    expect([response.isEnded, response.writes.length, jest.getTimerCount()]).toEqual([true, 5, 1]);
    jest.advanceTimersByTime(20);
    expect([response.writes.length, jest.getTimerCount()]).toEqual([5, 0]);
  });

  it('spells a text and the id of its model as JSON', () => {
    const { stream, response } = createStream();
    stream.push(delta('local/"a"', 'one\n"two"\u2028 \u{1F600}'));
    expect(response.writes).toEqual([
      `id: 1\nevent: delta\ndata: ${JSON.stringify({ model: 'local/"a"', text: 'one\n"two"\u2028 \u{1F600}' })}\n\n`,
    ]);
  });

  it('sends a comment after 10 to 11 seconds of silence, again and again, and nothing before', () => {
    const { stream, response } = createStream();
    stream.push(STARTED);
    // Wherever between two ticks of the timer the silence begins.
    for (const offsetMs of [0, 1, 999]) {
      jest.advanceTimersByTime(5000 + offsetMs);
      stream.push(result('a', ''));
      for (let i = 0; i < 3; i += 1) {
        const { length } = response.writes;
        jest.advanceTimersByTime(9_999);
        expect(response.writes).toHaveLength(length);
        jest.advanceTimersByTime(1_001);
        // A comment: readers skip it.
        expect(response.writes.slice(length)).toEqual([expect.stringMatching(/^: [^\n]+\n\n$/)]);
      }
    }
    stream.fail(FAILURE);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('shares two timers with all others, and none is left when all have ended', () => {
    const timers = new StreamTimers();
    const streams = Array.from({ length: 100 }, () => createStream(timers));
    for (const { stream } of streams) for (const text of ['1', '2']) stream.push(delta('a', text));
    expect(jest.getTimerCount()).toBe(2);
    jest.advanceTimersByTime(20);
    for (const { response } of streams) expect(response.events.map(([, , , text]) => text)).toEqual(['1', '2']);
    const [remaining, ...others] = streams;
    for (const { stream } of others) stream.fail(FAILURE);
    jest.advanceTimersByTime(11_000);
    expect(remaining?.response.writes).toHaveLength(3);
    remaining?.stream.fail(FAILURE);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('holds back while the connection is full, so that 100,000 pieces are one frame for each model', () => {
    const { stream, response } = createStream();
    response.isFull = true;
    stream.push(STARTED);
    for (let i = 0; i < 100_000; i += 1) stream.push(delta(i % 2 === 0 ? 'a' : 'b', `${i} `));
    stream.push(result('a', 'all'));
    stream.push(delta('b', 'end'));
    stream.fail(FAILURE);
    // No comment either.
    jest.advanceTimersByTime(60_000);
    expect([response.writes.length, response.isEnded]).toEqual([1, false]);
    response.isFull = false;
    response.emit('drain');
    const numbers = (parity: number) => Array.from({ length: 50_000 }, (_, i) => `${2 * i + parity} `).join('');
    expect(response.events.slice(1)).toEqual([
      [2, 'delta', 'a', numbers(0)],
      [3, 'delta', 'b', `${numbers(1)}end`],
      [4, 'result', 'a'],
      [5, 'error'],
    ]);
    expect(response.isEnded).toBe(true);
  });

  it('hands the connection no more than it takes, when it empties step by step', () => {
    const { stream, response } = createStream();
    response.isFull = true;
    stream.push(STARTED);
    const text = 'x'.repeat(100_000);
    for (const model of ['a', 'b', 'c']) stream.push(delta(model, text));
    for (let written = 2; written <= 4; written += 1) {
      response.emit('drain');
      expect(response.writes).toHaveLength(written);
    }
    expect(response.events.slice(1).map(([, , model]) => model)).toEqual(['a', 'b', 'c']);
  });

  it('drops the events of a caller who left, before or after the first of them', () => {
    const [gone, leaving] = [new FakeResponse(), createStream()];
    gone.destroyed = true;
    const late = createStream(leaving.timers, gone);
    leaving.stream.push(STARTED);
    for (const text of ['1', '2']) leaving.stream.push(delta('a', text));
    leaving.response.emit('close');
    for (const { stream } of [leaving, late]) {
      stream.push(delta('a', '3'));
      stream.push(result('a', '123'));
      stream.fail(FAILURE);
    }
    jest.advanceTimersByTime(60_000);
    expect([gone.writes, leaving.response.writes.length, leaving.response.isEnded, jest.getTimerCount()]).toEqual([
      [],
      2,
      false,
      0,
    ]);
  });
});
