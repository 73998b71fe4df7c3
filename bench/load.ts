import { Connection, type RawAnswer } from './connection';
import { spreadOf, type Spread } from './statistics';
import { CLOCK, nowMicros, STAMP } from './vendor.events';

/** The job of the load generator: `connections` callers, each sending its next request when the last one is answered. */
export interface LoadJob {
  port: number;
  connections: number;
  /** Sent in turn. */
  requests: string[];
  /** Ends after that time, or after that many requests. */
  seconds?: number;
  count?: number;
  /** Callers begin one after the other during that time. */
  rampSeconds?: number;
  /** True to subtract the slowest vendor's time, found in the answer, from each latency. */
  takeOffVendor?: boolean;
  /** Of streams: the models of each, whose first texts are looked for. */
  streamedModels?: number;
}

/** The measurements. Times in milliseconds. */
export interface LoadReport {
  requests: number;
  /** Answers that were not whole or not 200, by status; nothing else of a report is worth anything when there are some. */
  failures: Record<string, number>;
  seconds: number;
  perSecond: number;
  /** Of whole answers, or of what was added to the slowest vendor. */
  latency: Spread;
  /** Of streams: from the vendor's sending of a model's first text to its arrival here. */
  firstText: Spread;
  firstTexts: number;
}

function slowestVendorMs(body: Buffer): number {
  let slowest = 0;
  for (const [, micros] of body.toString('latin1').matchAll(CLOCK)) slowest = Math.max(slowest, Number(micros) / 1000);
  return slowest;
}

/** Looks for the vendors' stamps in a stream until each of its models has shown one; later ones are those of the whole answers. */
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

/** Why an answer is none; undefined of a good one. */
function failureOf({ status, body }: RawAnswer): string | undefined {
  if (status !== 200) return String(status);
  if (body.includes('"error":')) return 'failed models';
  return body.includes('event: eval-started\n') && !body.includes('event: eval\n') ? 'cut stream' : undefined;
}

async function run(job: LoadJob): Promise<LoadReport> {
  const requests = job.requests.map((text) => Buffer.from(text));
  const connections = await Promise.all(Array.from({ length: job.connections }, () => Connection.open(job.port)));
  const latencies: number[] = [];
  const firstTexts: number[] = [];
  const failures: Record<string, number> = {};
  let sent = 0;
  const begun = performance.now();
  const until = begun + (job.seconds ?? Infinity) * 1000;
  const most = job.count ?? Infinity;
  const gapMs = ((job.rampSeconds ?? 0) * 1000) / job.connections;
  await Promise.all(connections.map(async (connection, index) => {
    if (gapMs > 0) await new Promise((resolve) => setTimeout(resolve, index * gapMs));
    while (sent < most && performance.now() < until) {
      const request = requests[sent % requests.length];
      sent += 1;
      if (request === undefined) throw new Error('A load without requests.');
      const sentMs = performance.now();
      const answer = await connection.send(request, job.streamedModels === undefined ? undefined : stampReader(job.streamedModels, firstTexts));
      const ms = performance.now() - sentMs;
      const failure = failureOf(answer);
      if (failure !== undefined) failures[failure] = (failures[failure] ?? 0) + 1;
      latencies.push(job.takeOffVendor === true ? ms - slowestVendorMs(answer.body) : ms);
    }
    connection.close();
  }));
  const seconds = (performance.now() - begun) / 1000;
  return { requests: latencies.length, failures, seconds, perSecond: latencies.length / seconds, latency: spreadOf(latencies), firstText: spreadOf(firstTexts), firstTexts: firstTexts.length };
}

process.on('message', (job: LoadJob) => {
  run(job).then((report) => process.send?.({ report }), (error: unknown) => process.send?.({ error: String(error) }));
});
process.on('disconnect', () => process.exit(0));
