import { operator, type Answer, type Json } from '../../support/api';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { verifyLedger } from '../../support/ledger';
import { OwnPostgres } from '../../support/own-postgres';
import { startService, type ServiceProcess } from '../../support/service';

const DATABASE_TIMEOUT_MS = 2000;
/**
 * Three waits of a compare: to store, to look whether it is stored, to release its reservation; and half a second for
 * each that the server is given to say so itself.
 */
const EVAL_TIMEOUT_MS = 4000;
const SLOWEST_MS = EVAL_TIMEOUT_MS + 3 * (DATABASE_TIMEOUT_MS + 500);
/** A busy machine is late, too. */
const MAX_MS = 2 * SLOWEST_MS;

interface Seen {
  kind: string;
  endedMs: number;
  tookMs: number;
  answer: Answer<Json>;
}

/** The requests of callers, each by a separate worker. A stream answers 200 before its storage is certain. */
const REQUESTS: Record<string, (caller: Caller, evalId: string) => Promise<Answer<Json>>> = {
  compare: (caller) => caller.compare({ prompt: 'under load', models: ['sim-swift', 'sim-quill'] }),
  get: (caller, evalId) => caller.get(`/api/v1/evals/${evalId}`),
  list: (caller) => caller.get('/api/v1/evals?limit=5'),
  usage: (caller) => caller.get('/api/v1/usage'),
  statement: (caller) => caller.get('/api/v1/usage/statement'),
  once: (caller) =>
    caller.compare(
      { prompt: 'with a key', models: ['sim-swift'] },
      { headers: { 'Idempotency-Key': `key-${Math.random()}` } },
    ),
  stream: (caller) =>
    caller.compare({ prompt: 'as a stream', models: ['sim-quill'] }, { headers: { accept: 'text/event-stream' } }),
  me: (caller) => caller.get('/api/v1/models'),
};

describe('A database that becomes unreachable under load', () => {
  let postgres: OwnPostgres;
  let databaseUrl: string;
  let variables: Record<string, string>;
  let service: ServiceProcess;
  let caller: Caller;
  let evalId: string;
  const table: Record<string, unknown>[] = [];

  beforeAll(async () => {
    postgres = await OwnPostgres.start('unavailable');
    databaseUrl = await postgres.database('mcs_away');
    variables = {
      DATABASE_URL: databaseUrl,
      MIGRATE_ON_START: 'true',
      SIMULATOR: 'on',
      LOG_LEVEL: 'fatal',
      DATABASE_TIMEOUT_MS: `${DATABASE_TIMEOUT_MS}`,
      EVAL_TIMEOUT_MS: `${EVAL_TIMEOUT_MS}`,
      RATE_LIMIT_COMPARE_PER_MINUTE: '10000000',
      RATE_LIMIT_READ_PER_MINUTE: '10000000',
      MAX_CONCURRENT_COMPARES_PER_KEY: '1000',
    };
    service = await startService(variables);
    caller = await createCaller({ at: service.url, freeQuota: 10 });
    evalId = (await caller.compare({ prompt: 'first', models: ['sim-swift'] })).body.eval_id;
  });
  afterAll(async () => {
    process.stdout.write(`${table.map((row) => JSON.stringify(row)).join('\n')}\n`);
    postgres.thaw();
    expect(await service.stop()).toBe(0);
    await postgres.close();
  });

  afterEach(() => postgres.thaw());

  it.each([
    [
      'crashes (SIGKILL)',
      async () => {
        await postgres.end('SIGKILL');
        return () => postgres.restart();
      },
    ],
    [
      'is stopped (fast)',
      async () => {
        await postgres.end('SIGINT');
        return () => postgres.restart();
      },
    ],
    [
      'hangs (SIGSTOP)',
      async () => {
        await postgres.freeze();
        return async () => postgres.thaw();
      },
    ],
  ])(
    'causes 503 with Retry-After, recovery without a restart and no loss of acknowledged evals when it %s',
    async (fault, away) => {
      const seen: Seen[] = [];
      const load = startLoad(seen);
      await eventually(
        'every kind of request was answered',
        () => kindsAnswered(seen, 0, 200) === Object.keys(REQUESTS).length,
      );
      const faultMs = performance.now();
      const restart = await away();
      await eventually(
        'every kind of request that needs the database was refused',
        () => kindsAnswered(seen, faultMs, 503) >= Object.keys(REQUESTS).length - 1,
      );
      await restart();
      const backMs = performance.now();
      await eventually(
        'every kind of request is answered again',
        () => kindsAnswered(seen, backMs, 200) === Object.keys(REQUESTS).length,
      );
      const recoveredMs = firstOfAll(seen, backMs) - backMs;
      await load.stop();

      table.push(
        summaryOf(
          fault,
          seen.filter(({ endedMs }) => endedMs > faultMs),
          backMs - faultMs,
          recoveredMs,
        ),
      );
      expect(
        seen
          .filter(({ answer }) => !(isGood(answer) || isRefusal(answer)))
          .map(({ kind, answer }) => [kind, answer.status, answer.text.slice(0, 300)]),
      ).toEqual([]);
      expect(Math.max(...seen.map(({ tookMs }) => tookMs))).toBeLessThan(MAX_MS);
      // The request before of the same kind may still wait.
      expect(recoveredMs).toBeLessThan(MAX_MS);
      expect(service.child.exitCode).toBeNull();
      await expectStored(seen);
      expect(await verifyLedger(databaseUrl)).toMatchObject({ status: 0 });
    },
  );

  it('makes every request wait and answers it with 200 when it is restarted within DATABASE_TIMEOUT_MS', async () => {
    const unhurried = await startService({ ...variables, DATABASE_TIMEOUT_MS: '30000', EVAL_TIMEOUT_MS: '60000' });
    try {
      const seen: Seen[] = [];
      const load = startLoad(seen, caller.at(unhurried.url));
      await eventually(
        'every kind of request was answered',
        () => kindsAnswered(seen, 0, 200) === Object.keys(REQUESTS).length,
      );
      const faultMs = performance.now();
      await postgres.end('SIGINT');
      await postgres.restart();
      const backMs = performance.now();
      await eventually(
        'every kind of request is answered again',
        () => kindsAnswered(seen, backMs, 200) === Object.keys(REQUESTS).length,
      );
      await load.stop();
      table.push(
        summaryOf(
          'is restarted',
          seen.filter(({ endedMs }) => endedMs > faultMs),
          backMs - faultMs,
          firstOfAll(seen, backMs) - backMs,
        ),
      );
      expect(
        seen
          .filter(({ answer }) => !isGood(answer))
          .map(({ kind, answer }) => [kind, answer.status, answer.text.slice(0, 300)]),
      ).toEqual([]);
      expect(await verifyLedger(databaseUrl)).toMatchObject({ status: 0 });
    } finally {
      expect(await unhurried.stop()).toBe(0);
    }
  });

  it('does not prevent a shutdown when it hangs', async () => {
    const other = await startService(variables);
    const before = await createCaller({ at: other.url });
    await postgres.freeze();
    expect((await before.get('/api/v1/usage')).status).toBe(503);
    const begunMs = performance.now();
    expect(await other.stop()).toBe(0);
    expect(performance.now() - begunMs).toBeLessThan(MAX_MS);
  });

  it('leaves every connection of the pool free again after it hung in the middle of transactions', async () => {
    const other = await startService({ ...variables, DATABASE_POOL_MAX: '2' });
    const reader = await createCaller({ at: other.url });
    await postgres.freeze();
    const users = Array.from({ length: 4 }, (_, index) =>
      operator(other.url).post('/api/v1/admin/users', { email: `${index}-away@example.com` }),
    );
    expect((await Promise.all(users)).map(({ status }) => status)).toEqual(Array(4).fill(503));
    postgres.thaw();
    await eventually('the database is used again', async () => (await reader.get('/api/v1/evals')).status === 200);
    expect(await other.stop()).toBe(0);
  });

  function startLoad(seen: Seen[], by = caller): { stop: () => Promise<unknown> } {
    let isOn = true;
    const repeat = async (kind: string, ask: (typeof REQUESTS)[string]) => {
      while (isOn) {
        const begunMs = performance.now();
        const answer = await ask(by, evalId);
        const endedMs = performance.now();
        seen.push({ kind, endedMs, tookMs: endedMs - begunMs, answer });
      }
    };
    // Workers that took turns could all wait for the same kind, one after another, longer than a test waits.
    const workers = Promise.all(Object.entries(REQUESTS).map(([kind, ask]) => repeat(kind, ask)));
    return {
      stop: () => {
        isOn = false;
        return workers;
      },
    };
  }

  async function expectStored(seen: Seen[]): Promise<void> {
    const acknowledged = seen.flatMap(({ answer }) => storedIn(answer));
    expect(acknowledged.length).toBeGreaterThan(Object.keys(REQUESTS).length);
    const stored = new Set<string>();
    for (let path: string | undefined = '/api/v1/evals?limit=100'; path !== undefined;) {
      const page = await caller.get(path);
      for (const { eval_id: id } of page.body.evals) stored.add(id);
      path = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
    }
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
  }
});

function isGood({ status, text }: Answer): boolean {
  return status === 200 && !text.includes('event: error\n');
}

/** 503 in the one error body with Retry-After; of a stream that had begun, the same body as its last event. */
function isRefusal({ status, headers, body, text }: Answer<Json>): boolean {
  if (status === 200) return /event: error\ndata: \{"error":\{"code":"unavailable"/.test(text);
  return status === 503 && body.error.code === 'unavailable' && Number(headers.get('retry-after')) >= 1;
}

function kindsAnswered(seen: readonly Seen[], sinceMs: number, status: 200 | 503): number {
  const holds = status === 200 ? isGood : isRefusal;
  return new Set(
    seen
      .filter(({ endedMs, tookMs, answer }) => endedMs - (status === 200 ? tookMs : 0) >= sinceMs && holds(answer))
      .map(({ kind }) => kind),
  ).size;
}

/** When every kind had been answered at least once by requests that began after an instant. */
function firstOfAll(seen: readonly Seen[], sinceMs: number): number {
  const good = seen.filter(({ endedMs, tookMs, answer }) => endedMs - tookMs >= sinceMs && isGood(answer));
  return Math.max(...Object.keys(REQUESTS).map((kind) => good.find((one) => one.kind === kind)?.endedMs ?? Infinity));
}

function storedIn({ status, body, text }: Answer<Json>): string[] {
  if (status !== 200) return [];
  const streamed = /event: eval\ndata: \{"eval_id":"([^"]+)"/.exec(text)?.[1];
  return [streamed ?? body?.eval_id].filter((id): id is string => id !== undefined);
}

function summaryOf(
  fault: string,
  during: readonly Seen[],
  awayMs: number,
  recoveredMs: number,
): Record<string, unknown> {
  const refused = during.filter(({ answer }) => !isGood(answer));
  return {
    fault: `Postgres ${fault}`,
    away_ms: Math.round(awayMs),
    answered_2xx: during.length - refused.length,
    answered_503: refused.length,
    slowest_503_ms: Math.round(Math.max(...refused.map(({ tookMs }) => tookMs))),
    all_kinds_answered_again_ms: Math.round(recoveredMs),
  };
}
