import { Readable } from 'node:stream';
import type { Answer, Json } from '../../support/api';
import { createCaller, type Caller } from '../../support/factories';
import { memoryMib } from '../../support/memory';
import { startService, type ServiceProcess } from '../../support/service';
import { leastWithin } from '../../support/timing';
import { worker } from '../../support/worker';

const MIB = 1_048_576;
const MAX_BYTES = 64 * MIB;
const ROWS = 10_000;
/**
 * Of the whole process, beyond what an upload of a quarter of these bytes has taken, by which the heap finds its size:
 * less than the three quarters more.
 */
const MAX_GROWTH_MIB = 40;
/** Of one read beside an upload. */
const MAX_READ_MS = 1000;
// Given more, V8 collects old garbage only when there is much of it, and growth would tell nothing.
const SMALL_HEAP = '--max-old-space-size=128 --max-semi-space-size=4';

type Format = 'application/x-ndjson' | 'application/json' | 'text/csv';

const FRAMES: Readonly<Record<Format, readonly [start: string, end: string]>> = {
  'application/x-ndjson': ['', ''],
  'application/json': ['{"rows":[', ']}'],
  'text/csv': ['input,group\n', ''],
};

/** Rows of a file with exactly this number of bytes. */
function* file(type: Format, rows: number, bytes: number): Generator<string> {
  const [beginning, end] = FRAMES[type];
  yield beginning;
  let left = bytes - beginning.length - end.length;
  for (let index = 0; index < rows; index += 1) {
    const separator = type === 'application/json' && index < rows - 1 ? ',' : '\n';
    const frame = (text: string) =>
      type === 'text/csv' ? `"${text}",g${index % 50}\n` : `{"input":"${text}","group":"g${index % 50}"}${separator}`;
    const start = `${index} `;
    const size = index === rows - 1 ? left : Math.floor(left / (rows - index));
    yield frame(start.padEnd(start.length + size - frame(start).length, 'some words of a row '));
    left -= size;
  }
  yield end;
}

describe('A data set of 64 MiB', () => {
  let service: ServiceProcess;
  let caller: Caller;
  beforeAll(async () => {
    // The reads beside the uploads count against the limit of the uploads.
    service = await startService({
      DATABASE_URL: worker().databaseUrl,
      SIMULATOR: 'on',
      RATE_LIMIT_READ_PER_MINUTE: '1000000',
      NODE_OPTIONS: SMALL_HEAP,
    });
  });
  // Another user for each, because what one stores is limited.
  beforeEach(async () => {
    caller = await createCaller({ at: service.url });
  });
  afterAll(() => service.stop());

  /** Sends a file without holding it in memory. */
  async function upload(type: Format, rows: number, bytes: number, name = `${rows}`): Promise<Answer<Json>> {
    const response = await fetch(`${service.url}/api/v1/datasets?name=${name}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${caller.key}`, 'content-type': type },
      body: Readable.toWeb(Readable.from(file(type, rows, bytes))),
      duplex: 'half',
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
  }

  it.each(['application/x-ndjson', 'application/json', 'text/csv'] as const)(
    'is stored from %s with flat memory, and a reader beside it waits for no longer than a moment',
    async (type) => {
      expect((await upload(type, ROWS / 4, MAX_BYTES / 4)).status).toBe(201);
      let uploads = 0;
      const longestRead = async () => {
        const before = memoryMib(service.child.pid, 'VmHWM');
        let [isDone, longestMs] = [false, 0];
        const uploading = upload(type, ROWS, MAX_BYTES, `large-${(uploads += 1)}`).finally(() => {
          isDone = true;
        });
        while (!isDone) {
          const begunMs = performance.now();
          await caller.get('/api/v1/datasets?limit=1');
          longestMs = Math.max(longestMs, performance.now() - begunMs);
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        const { status, body } = await uploading;
        const growth = memoryMib(service.child.pid, 'VmHWM') - before;
        process.stdout.write(
          `${type}: ${growth.toFixed(0)} MiB more at most, longest read ${longestMs.toFixed(0)} ms\n`,
        );
        expect([status, body.rows, body.groups]).toEqual([201, ROWS, 50]);
        expect(growth).toBeLessThan(MAX_GROWTH_MIB);
        return longestMs;
      };
      expect(await leastWithin(MAX_READ_MS, longestRead)).toBeLessThanOrEqual(MAX_READ_MS);
    },
    600_000,
  );

  it('with one byte more is refused with 413, and stores nothing', async () => {
    const { status, body } = await upload('application/x-ndjson', ROWS, MAX_BYTES + 1);
    expect([status, body.error.code, body.error.message]).toEqual([
      413,
      'body_too_large',
      'The body is too large; at most 67,108,864 bytes are taken.',
    ]);
    expect((await caller.get('/api/v1/datasets')).body.datasets).toEqual([]);
  });
});
