import { Readable, Writable } from 'node:stream';
import type { OnRunEvent } from '../compare.service';
import type { CompareOutcome } from '../compare.types';
import { toSseFrames, bufferEvents } from './event-stream';

const PIECES = 100_000;
const options = { includeDetails: false, toErrorBody: () => ({ error: { code: 'internal_error' as const, message: 'ended', request_id: 'req_1' } }) };

/** A run that says all its pieces and ends badly, so that the frames need no eval. */
function talking(): (onEvent: OnRunEvent) => Promise<CompareOutcome> {
  return async (onEvent) => {
    onEvent({ type: 'eval-started', evalId: 'eval_1', models: ['a', 'b'] });
    for (let i = 0; i < PIECES; i += 1) {
      onEvent({ type: 'delta', model: i % 2 === 0 ? 'a' : 'b', text: `${i} ` });
      // As pieces of vendors come: each in a turn of its own.
      if (i % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    throw new Error('ended');
  };
}

describe('toSseFrames', () => {
  it('sends a comment every 10 seconds while a run is silent, and nothing before', async () => {
    jest.useFakeTimers();
    try {
      const run = Promise.withResolvers<CompareOutcome>();
      const stream = toSseFrames(bufferEvents(() => run.promise), options);
      for (let i = 0; i < 3; i += 1) {
        const frames: string[] = [];
        void stream.next().then(({ value }) => frames.push(String(value)));
        await jest.advanceTimersByTimeAsync(9_999);
        expect(frames).toEqual([]);
        await jest.advanceTimersByTimeAsync(1);
        // A comment: readers skip it.
        expect(frames).toEqual([expect.stringMatching(/^: .*\n\n$/)]);
      }
      run.reject(new Error('ended'));
      expect((await stream.next()).value).toContain('event: error');
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });

  it('lets a run end that nobody reads, and then has as many frames as there are models, not pieces', async () => {
    let written = 0;
    let resume: () => void = () => undefined;
    const texts: string[] = [];
    // Takes nothing until it is asked to.
    const sink = new Writable({
      highWaterMark: 1, decodeStrings: false,
      write: (text: string, _encoding, done) => {
        written += 1;
        texts.push(text);
        if (written === 1) resume = done;
        else done();
      },
    });
    const ended = Promise.withResolvers<void>();
    const run = talking();
    const buffer = bufferEvents((onEvent) => run(onEvent).finally(() => ended.resolve()));
    const finished = new Promise((resolve) => { sink.on('finish', resolve); });
    Readable.from(toSseFrames(buffer, options)).pipe(sink);
    await ended.promise;
    expect(written).toBe(1);
    resume();
    await finished;
    expect(texts.length).toBeLessThan(200);
    const deltas = texts.filter((text) => text.includes('event: delta'));
    const textOf = (model: string) => deltas.map((text) => JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? '') as { model: string; text: string }).filter((delta) => delta.model === model).map(({ text }) => text).join('');
    const numbers = Array.from({ length: PIECES }, (_, i) => i);
    expect(textOf('a')).toBe(numbers.filter((i) => i % 2 === 0).map((i) => `${i} `).join(''));
    expect(textOf('b')).toBe(numbers.filter((i) => i % 2 === 1).map((i) => `${i} `).join(''));
    expect(texts.at(-1)).toContain('event: error');
  });
});
