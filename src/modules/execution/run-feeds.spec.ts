import type { Caller } from '../auth/caller';
import type { Result } from '../evals/result.entity';
import type { CompareCommand, CompareEvent, CompareOutcome } from './compare.types';
import { LockLostError } from './job-lock';
import { RunFeed, RunFeeds } from './run-feeds';

const caller = (userId = 'user', keyId = 'key', scopes: readonly string[] = ['compare']) =>
  ({ userId, keyId, scopes }) as unknown as Caller;
const command = (prompt = 'Hello', idempotencyKey: string | undefined = 'one') =>
  ({
    prompt,
    models: ['a', 'b'],
    options: { temperature: 0, maxTokens: 1 },
    samples: 1,
    checks: [],
    idempotencyKey,
  }) as unknown as CompareCommand;
const delta = (model: string, text: string, sample?: number): CompareEvent => ({ type: 'delta', model, text, sample });
const started: CompareEvent = { type: 'eval-started', evalId: 'eval_1', models: ['a', 'b'] };
const result = (model: string): CompareEvent => ({ type: 'result-ready', result: { model } as Result });
const OUTCOME = {} as CompareOutcome;
const never = new Promise<undefined>(() => undefined);

describe('The feed of a run', () => {
  it('gives a late reader what happened, its texts joined by model, and then what happens', async () => {
    const feed = new RunFeed(caller(), command());
    [started, delta('a', 'One'), delta('b', 'Eins'), delta('a', ' two'), result('a')].forEach((event) =>
      feed.push(event),
    );
    const seen: CompareEvent[] = [];
    const followed = feed.follow((event) => seen.push({ ...event }), never);
    expect(seen).toEqual([started, delta('a', 'One two'), delta('b', 'Eins'), result('a')]);
    feed.push(delta('b', ' zwei'));
    expect(seen.at(-1)).toEqual(delta('b', ' zwei'));
    feed.end(OUTCOME);
    await expect(followed).resolves.toBe(OUTCOME);
  });

  it('keeps the samples of a model apart', () => {
    const feed = new RunFeed(caller(), command());
    [delta('a', '1', 0), delta('a', '2', 0), delta('a', '3', 1)].forEach((event) => feed.push(event));
    const seen: CompareEvent[] = [];
    void feed.follow((event) => seen.push(event), never);
    expect(seen).toEqual([delta('a', '12', 0), delta('a', '3', 1)]);
  });

  it('has eight readers at most, and room again when one has left', async () => {
    const feed = new RunFeed(caller(), command());
    const [leaving, staying] = [Promise.withResolvers<undefined>(), jest.fn()];
    const first = feed.follow(jest.fn(), leaving.promise);
    for (let index = 0; index < 7; index += 1) void feed.follow(jest.fn(), never);
    await expect(feed.follow(staying, never)).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 5 });
    leaving.resolve(undefined);
    await expect(first).resolves.toBeUndefined();
    void feed.follow(staying, never);
    feed.push(started);
    expect(staying).toHaveBeenCalledWith(started);
  });

  it('fails as its run does, and without an alarm where another process goes on with it', async () => {
    const [failed, lost] = [new RunFeed(caller(), command()), new RunFeed(caller(), command())];
    failed.fail(new Error('broken'));
    lost.fail(new LockLostError({ runId: 'run_1', fence: 1 }));
    await expect(failed.follow(jest.fn(), never)).rejects.toThrow('broken');
    await expect(lost.follow(jest.fn(), never)).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('The feeds of a process', () => {
  it('are found by the same key, or by another key of the user that may read evals, until they are closed', () => {
    const feeds = new RunFeeds();
    const feed = feeds.open('eval_1', caller(), command());
    expect(feeds.find(caller(), 'eval_1')).toBe(feed);
    expect(feeds.find(caller('user', 'other', ['compare', 'evals:read']), 'eval_1')).toBe(feed);
    expect(feeds.find(caller('user', 'other'), 'eval_1')).toBeUndefined();
    expect(feeds.find(caller('stranger', 'other', ['compare', 'evals:read']), 'eval_1')).toBeUndefined();
    const second = feeds.open('eval_1', caller(), command());
    feeds.close('eval_1', feed);
    expect(feeds.find(caller(), 'eval_1')).toBe(second);
    feeds.close('eval_1', second);
    expect(feeds.find(caller(), 'eval_1')).toBeUndefined();
  });

  it('are found by the Idempotency-Key of the same command only', () => {
    const feeds = new RunFeeds();
    const feed = feeds.open('eval_1', caller(), command());
    expect(feeds.findSame(caller(), command())).toBe(feed);
    expect(feeds.findSame(caller(), command('Another'))).toBeUndefined();
    expect(feeds.findSame(caller(), command('Hello', 'two'))).toBeUndefined();
    expect(feeds.findSame(caller('stranger'), command())).toBeUndefined();
  });
});
