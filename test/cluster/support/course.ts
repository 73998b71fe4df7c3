import { onDatabase } from '../../support/database';
import { eventually, type Caller } from '../../support/factories';
import { compares, evalsAmiss, failedOf, show, startLoad, type Load, type Sent } from './load';

const QUICK_A_SECOND = 16;
const SLOW_A_SECOND = 4;
const SLOW_MS = 5000;

/** The result of a load with Idempotency-Keys during an event of the database. */
export interface Course {
  sent: Sent[];
  /** Ids of evals that callers were answered with and that the database lacks. */
  lost: string[];
  /** Evals beyond one for each key, after every failed request was sent again with its key. */
  doubled: number;
  /** When the load began, on the clock of `performance.now()`. */
  beganMs: number;
}

/**
 * Sends 20 compares a second, a fifth of which takes five seconds, while something happens; then looks for what is
 * lost, sends every failed request again with its key until it is answered, and prints a line of the table.
 */
export async function courseOf(
  title: string,
  caller: Caller,
  databaseUrl: string,
  happen: (sent: readonly Sent[]) => Promise<void>,
): Promise<Course> {
  const kinds = [
    compares({ callers: [caller], perSecond: QUICK_A_SECOND, ms: 0, keys: 'quick' }),
    compares({ callers: [caller], perSecond: SLOW_A_SECOND, ms: SLOW_MS, keys: 'slow', name: 'compares of 5 s' }),
  ];
  const beganMs = performance.now();
  const load = startLoad(kinds);
  const sent = await happening(load, async () => {
    await eventually('some of the slow compares are in flight, and some are stored', () =>
      load.sent.some(({ kind, status }) => kind !== 'compares' && status === 200),
    );
    await happen(load.sent);
  });
  const { lost } = await evalsAmiss(databaseUrl, [caller], sent);
  const again = failedOf(sent);
  await Promise.all(
    again.map(async ({ kind, idempotencyKey = '' }) => {
      const send = kinds.find(({ name }) => name === kind)?.send;
      await eventually(
        `${idempotencyKey} is answered`,
        async () => (await send?.(Number(idempotencyKey.split('-')[1])))?.status === 200,
      );
    }),
  );
  const doubled = (await evalsOf(databaseUrl, caller)) - sent.length + lost.length;
  show(line(title, sent, lost.length, doubled));
  return { sent, lost, doubled, beganMs };
}

async function happening(load: Load, happen: () => Promise<void>): Promise<Sent[]> {
  try {
    await happen();
  } finally {
    await load.stop();
  }
  return load.sent;
}

/** Requests that failed in another way than by 503 with Retry-After in the one error body. */
export function badFailures(sent: readonly Sent[]): Sent[] {
  return failedOf(sent).filter(
    ({ status, code, retryAfter }) =>
      !(status === 503 && (code === 'unavailable' || code === 'overloaded') && Number(retryAfter) >= 1),
  );
}

/** Seconds from an instant on to the first answer with 200, and to the last request that was sent and refused. */
export function passedAfter({ sent, beganMs }: Course, sinceMs: number): { firstAnswer: number; lastRefused: number } {
  const seconds = (ms: number) => (beganMs + ms - sinceMs) / 1000;
  const answered = sent
    .filter(({ status }) => status === 200)
    .map(({ at, latencyMs }) => seconds(at + latencyMs))
    .filter((after) => after > 0);
  return {
    firstAnswer: Math.min(...answered),
    lastRefused: Math.max(0, ...failedOf(sent).map(({ at }) => seconds(at))),
  };
}

async function evalsOf(databaseUrl: string, { userId }: Caller): Promise<number> {
  const { rows } = await onDatabase(databaseUrl, (client) =>
    client.query<{ count: number }>('select count(*)::int from evals where user_id = $1', [userId]),
  );
  return rows[0]?.count ?? 0;
}

function line(title: string, sent: readonly Sent[], lost: number, doubled: number): string {
  const failed = failedOf(sent);
  const reasons = Object.entries(Object.groupBy(failed, ({ status, code }) => `${status} ${code}`)).map(
    ([reason, those]) => `${those?.length} x ${reason}`,
  );
  const slowest = Math.max(0, ...sent.filter(({ status }) => status === 200).map(({ latencyMs }) => latencyMs));
  const cells = [
    title,
    sent.length,
    sent.length - failed.length,
    failed.length,
    lost,
    doubled,
    `${(slowest / 1000).toFixed(1)} s`,
    reasons.join(', '),
  ];
  return [
    '| Course | Sent | Answered | Failed | Lost | Double | Slowest answer | Failures |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
    `| ${cells.join(' | ')} |`,
  ].join('\n');
}
