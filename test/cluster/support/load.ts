import type { Answer, Json } from '../../support/api';
import { endAfterTests } from '../../support/cleanup';
import { onDatabase } from '../../support/database';
import type { Caller } from '../../support/factories';
import { streamedEval } from '../../support/ledger';

/** The outcome of one request. */
export interface Sent {
  kind: string;
  /** Milliseconds since the load began. */
  at: number;
  latencyMs: number;
  /** 0 if the connection broke. */
  status: number;
  /** The error code of the answer, or how the connection broke. */
  code?: string | undefined;
  evalId?: string | undefined;
  message?: string | undefined;
  retryAfter?: string | undefined;
  idempotencyKey?: string | undefined;
}

/** One kind of request, sent at a steady rate however long the answers take. */
export interface Kind {
  name: string;
  perSecond: number;
  send: (i: number) => Promise<Answer<Json>>;
  /** The Idempotency-Key of a request, where it has one. */
  keyOf?: (i: number) => string;
  /** True if an answer with 200 is complete. */
  isWhole?: (answer: Answer<Json>) => boolean;
}

/** A load that is being sent. */
export interface Load {
  /** Everything answered so far. */
  sent: Sent[];
  /** Sends nothing more, and waits for the answers to what it has sent. */
  stop(): Promise<Sent[]>;
}

/**
 * Sends each kind of request at its rate. Open loop: a slow answer holds back no other request, as with callers who
 * know nothing of each other.
 */
export function startLoad(kinds: readonly Kind[]): Load {
  const begin = performance.now();
  const sent: Sent[] = [];
  const open = new Set<Promise<void>>();
  const counts = new Map<Kind, number>();
  const timer = setInterval(() => {
    for (const kind of kinds) {
      const due = Math.floor(((performance.now() - begin) / 1000) * kind.perSecond);
      for (let i = counts.get(kind) ?? 0; i < due; i += 1) {
        const done: Promise<void> = record(kind, i, begin)
          .then((one) => void sent.push(one))
          .finally(() => open.delete(done));
        open.add(done);
      }
      counts.set(kind, Math.max(due, counts.get(kind) ?? 0));
    }
  }, 10);
  // Should the test fail before it stops it.
  endAfterTests(() => clearInterval(timer));
  return {
    sent,
    stop: async () => {
      clearInterval(timer);
      await Promise.all(open);
      return sent;
    },
  };
}

async function record(kind: Kind, i: number, begin: number): Promise<Sent> {
  const at = performance.now();
  const outcome = await kind.send(i).then((answer) => outcomeOf(kind, answer), brokenBy);
  return {
    kind: kind.name,
    at: at - begin,
    latencyMs: performance.now() - at,
    ...(kind.keyOf !== undefined && { idempotencyKey: kind.keyOf(i) }),
    ...outcome,
  };
}

type Outcome = Pick<Sent, 'status' | 'code' | 'message' | 'evalId' | 'retryAfter'>;

function outcomeOf({ isWhole = () => true }: Kind, answer: Answer<Json>): Outcome {
  const { status, headers, body } = answer;
  if (status >= 400)
    return {
      status,
      code: body?.error?.code ?? 'no error body',
      message: body?.error?.message,
      retryAfter: headers.get('retry-after') ?? undefined,
    };
  return { status, evalId: evalIdOf(answer), code: isWhole(answer) ? undefined : 'not whole' };
}

function brokenBy(error: Error & { cause?: { code?: string; message?: string } }): Outcome {
  return { status: 0, code: error.cause?.code ?? error.cause?.message ?? error.message };
}

function evalIdOf({ status, headers, text, body }: Answer<Json>): string | undefined {
  if (status !== 200) return undefined;
  if (!(headers.get('content-type') ?? '').startsWith('text/event-stream')) return body?.eval_id as string | undefined;
  return /^event: eval\n/m.test(text) ? (JSON.parse(streamedEval(text)) as { eval_id: string }).eval_id : undefined;
}

/** True if the stream of a compare is complete. */
export function isWholeStream({ text }: Answer<Json>): boolean {
  return /^event: eval\ndata: .*\n\n$/m.test(text);
}

/**
 * Compares of a simulated model that takes that long, by these callers in turn; with `keys`, each with a distinct
 * Idempotency-Key with that prefix.
 */
export function compares({
  callers,
  perSecond,
  ms,
  keys,
  name = 'compares',
  body = {},
}: {
  callers: readonly Caller[];
  perSecond: number;
  ms: number;
  keys?: string;
  name?: string;
  body?: object;
}): Kind {
  const keyOf = (i: number) => `${keys ?? ''}-${i}`;
  const send = (i: number) =>
    callerOf(callers, i).compare(
      { prompt: `[[sim:slow=${ms}]] number ${i}`, models: ['sim-swift'], ...body },
      { headers: keys === undefined ? {} : { 'idempotency-key': keyOf(i) } },
    );
  return { name, perSecond, send, ...(keys !== undefined && { keyOf }) };
}

/** Streams that show pieces all the time, by these callers in turn. */
export function streams({
  callers,
  perSecond,
  seconds,
}: {
  callers: readonly Caller[];
  perSecond: number;
  seconds: number;
}): Kind {
  const body = { prompt: `[[sim:pace=10]] [[sim:length=${seconds * 10}]]`, models: ['sim-swift'] };
  const send = (i: number) => callerOf(callers, i).compare(body, { headers: { accept: 'text/event-stream' } });
  return { name: 'streams', perSecond, send, isWhole: isWholeStream };
}

/** Reads of a caller's evals and usage, by these callers in turn. */
export function reads({ callers, perSecond }: { callers: readonly Caller[]; perSecond: number }): Kind {
  const paths = ['/api/v1/evals?limit=5', '/api/v1/usage', '/api/v1/models'];
  return { name: 'reads', perSecond, send: (i) => callerOf(callers, i).get(paths[i % paths.length] ?? '') };
}

export function failedOf(sent: readonly Sent[]): Sent[] {
  return sent.filter(({ status, code }) => status !== 200 || code !== undefined);
}

/** A table of requests sent, answered and failed, by kind. */
export function tableOf(title: string, sent: readonly Sent[]): string {
  const kinds = [...new Set(sent.map(({ kind }) => kind))].sort();
  const lines = kinds.map((kind) =>
    lineOf(
      kind,
      sent.filter((one) => one.kind === kind),
    ),
  );
  return [
    title,
    '| Requests | Sent | Answered | Failed | Slowest answer | Failures |',
    '| --- | --- | --- | --- | --- | --- |',
    ...lines,
    '',
  ].join('\n');
}

function lineOf(kind: string, sent: readonly Sent[]): string {
  const failed = failedOf(sent);
  const slowest = Math.max(0, ...sent.filter(({ status }) => status === 200).map(({ latencyMs }) => latencyMs));
  return `| ${kind} | ${sent.length} | ${sent.length - failed.length} | ${failed.length} | ${(slowest / 1000).toFixed(1)} s | ${reasonsOf(failed)} |`;
}

/** How often each way to fail occurred, and when: `3 x 503 unavailable (12.1 to 12.9 s)`. */
function reasonsOf(failed: readonly Sent[]): string {
  const reasonOf = ({ status, code, message }: Sent) =>
    [status, code, message].filter((part) => part !== undefined).join(' ');
  return [...new Set(failed.map(reasonOf))]
    .map((reason) => {
      const times = failed.filter((one) => reasonOf(one) === reason).map(({ at }) => at / 1000);
      return `${times.length} x ${reason} (${Math.min(...times).toFixed(1)} to ${Math.max(...times).toFixed(1)} s)`;
    })
    .join(', ');
}

/** Prints a table or a figure, for readers of the run. */
export function show(text: string): void {
  process.stdout.write(`\n${text}\n`);
}

/**
 * Compares the callers' answers with their rows in the database: missing acknowledged evals, and unacknowledged evals.
 */
export async function evalsAmiss(
  databaseUrl: string,
  callers: readonly Caller[],
  sent: readonly Sent[],
): Promise<{ lost: string[]; unasked: string[]; twice: string[] }> {
  const answered = sent.flatMap(({ evalId }) => evalId ?? []);
  const { rows } = await onDatabase(databaseUrl, (client) =>
    client.query<{ id: string }>('select id from evals where user_id = any($1)', [callers.map(({ userId }) => userId)]),
  );
  const stored = new Set(rows.map(({ id }) => id));
  const acknowledged = new Set(answered);
  return {
    lost: answered.filter((id) => !stored.has(id)),
    unasked: [...stored].filter((id) => !acknowledged.has(id)),
    twice: answered.filter((id, i) => answered.indexOf(id) !== i),
  };
}

function callerOf(callers: readonly Caller[], i: number): Caller {
  const caller = callers[i % callers.length];
  if (caller === undefined) throw new Error('There is no caller.');
  return caller;
}
