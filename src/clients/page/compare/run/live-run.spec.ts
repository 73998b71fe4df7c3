import { effect } from '@preact/signals';
import {
  AuthenticationError,
  ConnectionError,
  type Eval,
  InvalidRequestError,
  RateLimitError,
} from '../../../client/client';
import { LiveRun, type RunClient, sourceOfEval, type Surroundings } from './live-run';
import type { RunEvent } from './run';

const resultOf = (model: string) => ({
  model,
  provider: 'p',
  output: `All of ${model}`,
  latency_ms: 5,
  cost_usd: '0',
  input_tokens: 1,
  output_tokens: 2,
  total_tokens: 3,
});
const EVAL = {
  eval_id: 'eval_1',
  models: ['a', 'b'],
  results: [resultOf('a'), resultOf('b')],
  meta: {},
} as unknown as Eval;
const STARTED: RunEvent = { event: 'eval-started', data: { eval_id: 'eval_1', models: ['a', 'b'] } };
const DONE: RunEvent = { event: 'eval', data: EVAL };
const delta = (model: string, text: string): RunEvent => ({ event: 'delta', data: { model, text } });
const notFound = () => new InvalidRequestError('No such eval.', { code: 'not_found', status: 404 });
const cut = () => new ConnectionError('Cut.', { code: 'connection_lost' });

/** Streams that give these events, one stream a list; an error breaks it. `gets` are the answers of GET /evals/:id. */
function surroundingsOf({
  streams = [],
  gets = [],
  taken = [],
}: {
  streams?: (RunEvent | Error | Promise<void>)[][];
  gets?: (Eval | Error)[];
  taken?: (RunEvent | Error)[][];
}) {
  const calls: string[] = [];
  const changes: string[] = [];
  const client = {
    stream: (_body: object, { idempotencyKey, signal }: { idempotencyKey: string; signal: AbortSignal }) => ({
      async *[Symbol.asyncIterator]() {
        calls.push(`stream ${idempotencyKey}`);
        for (const event of streams.shift() ?? []) {
          if (event instanceof Promise) await event;
          else if (event instanceof Error) throw event;
          else yield event;
          if (signal.aborted) throw signal.reason;
        }
      },
    }),
    runs: {
      async *stream(id: string) {
        calls.push(`take up ${id}`);
        const events = taken.shift();
        if (events === undefined) throw notFound();
        for (const event of events) {
          if (event instanceof Error) throw event;
          yield event;
        }
      },
    },
    evals: {
      get: async (id: string) => {
        calls.push(`get ${id}`);
        const answer = gets.shift() ?? notFound();
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
  } as unknown as RunClient;
  const surroundings: Surroundings = {
    client: () => client,
    wait: async () => undefined,
    nowMs: () => 7,
    onChange: (run) => changes.push(`${run.phase.value} ${run.evalId.value}`),
    // Nothing is drawn between events, as if they came faster than frames.
    schedule: () => () => undefined,
  };
  return {
    calls,
    changes,
    surroundings,
    start: (evalId?: string) => new LiveRun({ prompt: 'p', models: ['a', 'b'] }, 'key-1', surroundings, { evalId }),
  };
}
const shown = (run: LiveRun) => [
  run.phase.value,
  ...run.columns.map(({ value: { phase, text } }) => `${phase}: ${text}`),
];

describe('LiveRun', () => {
  it('after a reload is watched from its first event on, and ends with the eval and its details', async () => {
    const { start, calls } = surroundingsOf({
      taken: [[STARTED, delta('a', 'All'), delta('a', ' of'), { event: 'eval', data: {} }]],
      gets: [EVAL],
    });
    const run = start('eval_1');
    await run.find();
    expect([calls, run.stored.value]).toEqual([['take up eval_1', 'get eval_1'], EVAL]);
    expect(shown(run)).toEqual(['ended', 'ended: All of a', 'ended: All of b']);
  });

  it('takes up its stream where it was cut, and repeats no text', async () => {
    const { start } = surroundingsOf({
      streams: [[STARTED, delta('a', 'All'), cut()]],
      taken: [[STARTED, delta('a', 'All of'), cut()]],
    });
    const run = start();
    await run.watch();
    expect(shown(run)).toEqual(['gone', 'lost: All of', 'lost: ']);
  });

  it('shows the error that ends a stream that was taken up', async () => {
    const { start, calls } = surroundingsOf({
      taken: [[STARTED, { event: 'error', data: { error: { code: 'unauthorized', message: 'Revoked.' } } }]],
    });
    const run = start('eval_1');
    await run.find();
    expect([calls, run.phase.value, run.lacksKey]).toEqual([['take up eval_1'], 'failed', true]);
  });

  it('shows a run to its end, and stores what a reload needs', async () => {
    const { start, changes } = surroundingsOf({ streams: [[STARTED, delta('a', 'All'), DONE]] });
    const run = start();
    await run.watch();
    expect(shown(run)).toEqual(['ended', 'ended: All of a', 'ended: All of b']);
    expect(run.stored.value).toBe(EVAL);
    expect(changes).toEqual(['sending undefined', 'watching eval_1', 'ended eval_1']);
  });

  it('counts from the moment it was sent, also after a reload, and is then looked for only until it must have ended', async () => {
    let waited = 0;
    const { surroundings } = surroundingsOf({});
    const run = new LiveRun(
      { prompt: 'p', models: ['a', 'b'] },
      'key-1',
      {
        ...surroundings,
        nowMs: () => 70_000,
        wait: async (ms) => {
          waited += ms;
        },
      },
      { evalId: 'eval_1', sentMsAgo: 60_000 },
    );
    expect([run.startedAt, run.source.startedAt]).toEqual([10_000, 10_000]);
    await run.find();
    expect([waited, ...shown(run)]).toEqual([40_000, 'gone', 'lost: ', 'lost: ']);
  });

  it('of several samples gives each answer its own text, and is looked for as long as all rounds may take', async () => {
    let waited = 0;
    const { surroundings } = surroundingsOf({
      streams: [[STARTED, { event: 'delta', data: { model: 'a', sample: 1, text: 'second' } }, cut()]],
    });
    const run = new LiveRun({ prompt: 'p', models: ['a', 'b'], options: { samples: 2 } }, 'key-1', {
      ...surroundings,
      wait: async (ms) => {
        waited += ms;
      },
    });
    await run.watch();
    expect(run.columns.map(({ value: { text } }) => text)).toEqual(['', '', 'second', '']);
    expect(waited).toBe(200_000);
  });

  it('draws a column once for all events of a frame, and no other column', async () => {
    let goOn: () => void = () => undefined;
    const wait = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const { start } = surroundingsOf({
      streams: [[STARTED, delta('a', '1'), delta('a', '2'), delta('a', '3'), wait, cut()]],
    });
    const run = start();
    const drawn = [0, 0];
    run.columns.forEach((column, i) =>
      effect(() => {
        void column.value;
        drawn[i] = (drawn[i] ?? 0) + 1;
      }),
    );
    drawn.fill(0);
    const watching = run.watch();
    goOn();
    await watching;
    // Once with the text, once when the connection was given up.
    expect(drawn).toEqual([2, 1]);
  });

  it('sends a run that is cut before its first event once more, under the same key', async () => {
    const { start, calls } = surroundingsOf({ streams: [[cut()], [DONE]] });
    const run = start();
    await run.watch();
    expect([calls, run.phase.value]).toEqual([['stream key-1', 'stream key-1'], 'ended']);
  });

  it('gives up when it is cut before its first event twice', async () => {
    const { start, calls } = surroundingsOf({ streams: [[cut()], [cut()], [DONE]] });
    const run = start();
    await run.watch();
    expect(calls).toHaveLength(2);
    expect([run.phase.value, run.refusal.value?.code]).toEqual(['refused', 'connection_lost']);
  });

  it('does not send again what the service refused', async () => {
    const refusal = new RateLimitError('Slower.', { code: 'rate_limited', status: 429, retryAfter: 3 });
    const { start, calls } = surroundingsOf({ streams: [[refusal]] });
    const run = start();
    await run.watch();
    expect([calls.length, run.refusal.value, ...shown(run)]).toEqual([1, refusal, 'refused', 'lost: ', 'lost: ']);
  });

  it('finds the eval of a run that is cut later', async () => {
    const { start, calls } = surroundingsOf({
      streams: [[STARTED, delta('a', 'All'), cut()]],
      gets: [notFound(), EVAL],
    });
    const run = start();
    await run.watch();
    expect(calls).toEqual(['stream key-1', 'take up eval_1', 'get eval_1', 'get eval_1']);
    expect(shown(run)).toEqual(['ended', 'ended: All of a', 'ended: All of b']);
  });

  it('lets nothing write and no clock run on while it looks for the eval', async () => {
    const { surroundings, start } = surroundingsOf({
      streams: [[STARTED, delta('a', 'All'), cut()]],
      gets: [notFound(), EVAL],
    });
    const seen: unknown[] = [];
    surroundings.wait = async () => {
      seen.push([run.isCut, ...shown(run)]);
    };
    const run = start();
    await run.watch();
    expect(seen).toEqual(Array.from({ length: 2 }, () => [true, 'finding', 'lost: All', 'lost: ']));
    expect(run.phase.value).toBe('ended');
  });

  it('keeps what was read when its key is refused, by an event or afterwards, and finds the eval with another key', async () => {
    const refused = new AuthenticationError('No valid key.', { code: 'unauthorized', status: 401 });
    const event: RunEvent = { event: 'error', data: { error: { code: 'unauthorized', message: 'No valid key.' } } };
    for (const [phase, last, gets] of [
      ['failed', event, [EVAL]],
      ['gone', cut(), [refused, EVAL]],
    ] as const) {
      const { start } = surroundingsOf({ streams: [[STARTED, delta('a', 'All'), last]], gets: [...gets] });
      const run = start();
      await run.watch();
      expect([run.lacksKey, ...shown(run)]).toEqual([true, phase, 'lost: All', 'lost: ']);
      const finding = run.find();
      expect([run.lacksKey, ...shown(run)]).toEqual([false, 'finding', 'lost: All', 'lost: ']);
      await finding;
      expect([run.lacksKey, ...shown(run)]).toEqual([false, 'ended', 'ended: All of a', 'ended: All of b']);
    }
  });

  it('keeps what it has when the run was not stored', async () => {
    const { start } = surroundingsOf({ streams: [[STARTED, delta('a', 'All'), cut()]] });
    const run = start();
    await run.watch();
    expect(shown(run)).toEqual(['gone', 'lost: All', 'lost: ']);
  });

  it('fails with the reasons of the models', async () => {
    const error = { code: 'timeout', message: 'Too late.', retryable: true };
    const { start } = surroundingsOf({
      streams: [
        [
          STARTED,
          {
            event: 'error',
            data: {
              error: {
                code: 'all_models_failed',
                message: 'All failed.',
                details: {
                  models: [
                    { model: 'a', error },
                    { model: 'b', error },
                  ],
                },
              },
            },
          },
        ],
      ],
    });
    const run = start();
    await run.watch();
    expect(shown(run)).toEqual(['failed', 'failed: ', 'failed: ']);
    expect(run.failure.value?.code).toBe('all_models_failed');
  });

  it('stops watching at once, shows nothing that comes later, and can be found again', async () => {
    let goOn: () => void = () => undefined;
    const { start } = surroundingsOf({
      streams: [
        [
          STARTED,
          new Promise<void>((resolve) => {
            goOn = resolve;
          }),
          delta('a', 'late'),
          DONE,
        ],
      ],
      gets: [EVAL],
    });
    const run = start();
    const watching = run.watch();
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    run.stopWatching();
    expect(shown(run)).toEqual(['stopped', 'lost: ', 'lost: ']);
    goOn();
    await watching;
    expect(shown(run)).toEqual(['stopped', 'lost: ', 'lost: ']);
    await run.find();
    expect(run.phase.value).toBe('ended');
  });

  it('shows the eval of a page that was loaded again, at once where it is stored', async () => {
    const { start, calls } = surroundingsOf({ gets: [EVAL] });
    const run = start('eval_1');
    await run.find({ atOnce: true });
    expect([calls, run.phase.value]).toEqual([['get eval_1'], 'ended']);
  });

  it('is gone when the eval was erased meanwhile', async () => {
    const { start, calls } = surroundingsOf({});
    const run = start('eval_1');
    await run.find({ atOnce: true });
    expect([calls, run.phase.value]).toEqual([['get eval_1'], 'gone']);
  });
});

describe('sourceOfEval', () => {
  it('has the columns of the eval', () =>
    expect(sourceOfEval(EVAL).columns.map(({ value }) => value.text)).toEqual(['All of a', 'All of b']));
});
