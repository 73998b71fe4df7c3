import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'undici';
import { send } from './send';
import { spreadOf, type Spread } from './statistics';
import { CLOCK, nowMicros, STAMP } from './vendor.answers';

/** A request of the load. */
export interface LoadRequest {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/**
 * The job of the load generator: `connections` callers, each sending its next request when the last one is answered.
 */
export interface LoadJob {
  port: number;
  connections: number;
  /** Sent in turn. */
  requests: LoadRequest[];
  /** Ends after that time, or after that many requests. */
  seconds?: number;
  count?: number;
  /**
   * Requests are due at this rate, whether or not earlier ones are answered, and latency counts from the time when they
   * were due. Without it, each caller sends as soon as it can.
   */
  perSecond?: number;
  /** Callers begin one after the other during that time. */
  rampSeconds?: number;
  /** True to subtract the slowest vendor's time, found in the answer, from each latency. */
  takeOffVendor?: boolean;
  /** Of streams: the models of each, whose first texts are timed. */
  streamedModels?: number;
}

/** The measurements. Times in milliseconds. */
export interface LoadReport {
  requests: number;
  /** Answers that were not whole or not 200, by status; with any, the report is no measurement. */
  failures: Record<string, number>;
  perSecond: number;
  /** Of whole answers, or of the time that was added to the slowest vendor. */
  latency: Spread;
  /** Of streams: from the vendor's sending of a model's first text to its arrival here. */
  firstText: Spread;
}

/** Looks for the vendors' stamps in a stream until each of its models has shown one. */
function stampReader(models: number, delaysMs: number[]): (data: Buffer) => void {
  let left = models;
  return (data) => {
    if (left === 0 || !data.includes('[t:')) return;
    const micros = nowMicros();
    for (const [, sent] of data.toString('latin1').matchAll(STAMP)) {
      if (left === 0) return;
      left -= 1;
      delaysMs.push((micros - Number(sent)) / 1000);
    }
  };
}

/** The reason why an answer is a failure, if it is one. */
function failureOf(status: number, body: string): string | undefined {
  if (status !== 200) return String(status);
  if (body.includes('"error":')) return 'failed models';
  return body.includes('event: eval-started\n') && !body.includes('event: eval\n') ? 'cut stream' : undefined;
}

function slowestVendorMs(body: string): number {
  return Math.max(0, ...[...body.matchAll(CLOCK)].map(([, micros]) => Number(micros) / 1000));
}

/** The time from which a request counts: when it is due, for which this waits, or now. */
async function turnOf({ perSecond }: LoadJob, begun: number, sent: number): Promise<number> {
  if (perSecond === undefined) return performance.now();
  const dueMs = begun + (sent * 1000) / perSecond;
  await sleep(dueMs - performance.now());
  return dueMs;
}

async function run(job: LoadJob): Promise<LoadReport> {
  const [latencies, firstTexts, failures] = [[] as number[], [] as number[], {} as Record<string, number>];
  const begun = performance.now();
  const until = begun + (job.seconds ?? Infinity) * 1000;
  let sent = 0;
  await Promise.all(
    Array.from({ length: job.connections }, async (_, index) => {
      const client = new Client(`http://127.0.0.1:${job.port}`);
      await sleep((index * (job.rampSeconds ?? 0) * 1000) / job.connections);
      while (sent < (job.count ?? Infinity) && performance.now() < until) {
        const request = job.requests[sent % job.requests.length];
        const turn = turnOf(job, begun, sent);
        sent += 1;
        if (request === undefined) throw new Error('A load without requests.');
        const chunks: Buffer[] = [];
        const readStamps = stampReader(job.streamedModels ?? 0, firstTexts);
        const sentMs = await turn;
        const status = await send(client, request, (chunk) => {
          chunks.push(chunk);
          readStamps(chunk);
        });
        const ms = performance.now() - sentMs;
        const body = Buffer.concat(chunks).toString('latin1');
        const failure = failureOf(status, body);
        if (failure !== undefined) failures[failure] = (failures[failure] ?? 0) + 1;
        latencies.push(job.takeOffVendor === true ? ms - slowestVendorMs(body) : ms);
      }
      await client.close();
    }),
  );
  return {
    requests: latencies.length,
    failures,
    perSecond: (1000 * latencies.length) / (performance.now() - begun),
    latency: spreadOf(latencies),
    firstText: spreadOf(firstTexts),
  };
}

process.on('message', (job: LoadJob) => {
  run(job).then(
    (report) => process.send?.({ report }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.on('disconnect', () => process.exit(0));
