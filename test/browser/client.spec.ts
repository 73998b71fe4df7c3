import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import type { CompareEvent, Eval, ModelComparison } from '../../src/clients/client/client';
import { createCaller, type Caller } from '../support/factories';
import { describeInBrowser } from './support/chromium';
import { UnreliableProxy } from './support/unreliable-proxy';
import { Visit } from './support/visit';

const MAX_GZIP_BYTES = 12_000;
const BODY = {
  prompt: '[[sim:pace=200]] [[sim:length=20]] Say {input} in French.',
  input: 'good morning',
  models: ['sim-swift', 'sim-quill'],
};

describeInBrowser('The client in a browser, bundled by Vite', () => {
  let caller: Caller;
  let proxy: UnreliableProxy;
  let bundle: string;
  let visit: Visit;

  beforeAll(async () => {
    bundle = (
      await promisify(execFile)(process.execPath, [join(__dirname, 'support/bundle-client.mjs')], { maxBuffer: 1e7 })
    ).stdout;
    caller = await createCaller();
    proxy = await UnreliableProxy.inFrontOf(caller.url);
    proxy.serve('/client.js', 'text/javascript', bundle);
    proxy.serve(
      '/client.html',
      'text/html',
      '<!doctype html><html lang="en"><title>Client</title><link rel="icon" href="data:,">',
    );
    visit = await Visit.open({ url: proxy.url });
    await visit.page.goto('/client.html');
  });
  afterAll(() => visit.end());

  /** Runs a piece of a page's script with a client of the caller. */
  const withClient = <T>(work: (mcs: ModelComparison, body: typeof BODY) => Promise<T>): Promise<T> =>
    visit.page.evaluate(`(async () => {
      const { ModelComparison } = await import('/client.js');
      return await (${work.toString()})(new ModelComparison({ baseUrl: location.origin, apiKey: ${JSON.stringify(caller.key)} }), ${JSON.stringify(BODY)});
    })()`);

  it(`is at most ${MAX_GZIP_BYTES} bytes gzipped and needs nothing of Node`, () => {
    const size = gzipSync(bundle).length;
    process.stdout.write(`The client bundled for browsers: ${size} bytes gzipped.\n`);
    expect(size).toBeLessThanOrEqual(MAX_GZIP_BYTES);
    // The variables are read from `globalThis`, by a property that browsers lack.
    expect(bundle.replaceAll(/\{ ?process: \w+ ?\} = globalThis/g, '')).not.toMatch(/["']node:|\bprocess\b|\bBuffer\b/);
  });

  it('compares, streams and lists, with the amounts of the wire', async () => {
    const compared = await withClient((mcs, body) => mcs.compare(body, { details: true }));
    const wire = await caller.get(`/api/v1/evals/${compared.eval_id}`);
    expect(compared.results.map(({ cost_usd }) => cost_usd)).toEqual(
      [...wire.text.matchAll(/"cost_usd":([\d.]+)/g)].map(([, amount]) => amount),
    );

    const { events, stored } = await withClient(async (mcs, body) => {
      const run = mcs.stream(body);
      const seen: CompareEvent[] = [];
      for await (const event of run) seen.push(event);
      return { events: seen, stored: await run.eval() };
    });
    expect([events[0]?.event, events.at(-1)?.event, events.filter(({ event }) => event === 'result').length]).toEqual([
      'eval-started',
      'eval',
      2,
    ]);
    const text = events
      .map((event) => (event.event === 'delta' && event.data.model === 'sim-swift' ? event.data.text : ''))
      .join('');
    expect(stored.results[0]?.output).toBe(text);

    const ids = await withClient(async (mcs) => {
      const found: string[] = [];
      for await (const line of mcs.evals.list({ limit: 1 })) found.push(line.eval_id);
      return found;
    });
    expect(ids).toEqual([stored.eval_id, compared.eval_id]);
  });

  it('finds the stored eval after the connection was cut in the stream, and sends again what was cut before it, without a second eval', async () => {
    const { eval_count: before } = await caller.usage();
    visit.expects('net', 404);
    proxy.next('POST', /^\/api\/v1\/compare$/, { cut: 'after events', events: 3 });
    const found = await withClient((mcs, body) => mcs.stream(body).eval());
    expect(found).toEqual(await storedByClient(found));
    proxy.next('POST', /^\/api\/v1\/compare$/, { cut: 'before the head' });
    const again = await withClient((mcs, body) => mcs.stream(body).eval());
    expect(again).toEqual(await storedByClient(again));
    expect((await caller.usage()).eval_count).toBe(before + 2);
  });

  /** The eval as its own address gives it, with the same digits. */
  async function storedByClient({ eval_id: id }: Eval): Promise<Eval> {
    return await visit.page.evaluate(
      `import('/client.js').then(({ ModelComparison }) => new ModelComparison({ baseUrl: location.origin, apiKey: ${JSON.stringify(caller.key)} }).evals.get(${JSON.stringify(id)}))`,
    );
  }
});
