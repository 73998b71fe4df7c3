import { Connection } from './connection';
import { spreadOf, type Spread } from './statistics';

/** What the load generator is asked for: `connections` callers, each sending its next request when the last one is answered. */
export interface LoadJob {
  port: number;
  connections: number;
  /** Sent in turn. */
  requests: string[];
  /** Ends after that time, or after that many requests. */
  seconds?: number;
  count?: number;
  /** Whether to take the slowest vendor's time, which stands in the answer, off each latency. */
  takeOffVendor?: boolean;
}

/** What it found. Times in milliseconds. */
export interface LoadReport {
  requests: number;
  /** Answers that were not 200, by status; nothing else of a report is worth anything when there are some. */
  failures: Record<string, number>;
  seconds: number;
  perSecond: number;
  /** Of whole answers, or of what was added to the slowest vendor. */
  latency: Spread;
}

const VENDOR_CLOCK = /\[(\d{8})us\]/g;

function slowestVendorMs(body: Buffer): number {
  let slowest = 0;
  for (const [, micros] of body.toString('latin1').matchAll(VENDOR_CLOCK)) slowest = Math.max(slowest, Number(micros) / 1000);
  return slowest;
}

async function run(job: LoadJob): Promise<LoadReport> {
  const requests = job.requests.map((text) => Buffer.from(text));
  const connections = await Promise.all(Array.from({ length: job.connections }, () => Connection.open(job.port)));
  const latencies: number[] = [];
  const failures: Record<string, number> = {};
  let sent = 0;
  const begun = performance.now();
  const until = begun + (job.seconds ?? Infinity) * 1000;
  const most = job.count ?? Infinity;
  await Promise.all(connections.map(async (connection) => {
    while (sent < most && performance.now() < until) {
      const request = requests[sent % requests.length];
      sent += 1;
      if (request === undefined) throw new Error('A load without requests.');
      const sentMs = performance.now();
      const { status, body } = await connection.send(request);
      const ms = performance.now() - sentMs;
      if (status !== 200) failures[status] = (failures[status] ?? 0) + 1;
      latencies.push(job.takeOffVendor === true ? ms - slowestVendorMs(body) : ms);
    }
    connection.close();
  }));
  const seconds = (performance.now() - begun) / 1000;
  return { requests: latencies.length, failures, seconds, perSecond: latencies.length / seconds, latency: spreadOf(latencies) };
}

process.on('message', (job: LoadJob) => {
  run(job).then((report) => process.send?.({ report }), (error: unknown) => process.send?.({ error: String(error) }));
});
process.on('disconnect', () => process.exit(0));
