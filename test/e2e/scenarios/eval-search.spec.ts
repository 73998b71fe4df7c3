import { onDatabase, ownDatabase } from '../../support/database';
import { createCaller, type Caller } from '../../support/factories';
import { nodesOf, runsOf } from '../../support/query-plans';
import { QueryRecorder } from '../../support/query-recorder';
import { startService, type ServiceProcess } from '../../support/service';
import { leastWithin } from '../../support/timing';

const EVALS = 12_000;
const SEARCHED = 5000;
const TURNS = 40;
const MAX_RATIO = 10;
/** Older than every eval of the service; the higher the number, the newer. */
const idOf = (n: number) => `eval_00${String(n).padStart(24, '0')}`;

describe('GET /api/v1/evals with q or model', () => {
  let url: string;
  let recorder: QueryRecorder;
  let service: ServiceProcess;
  let caller: Caller;
  let other: Caller;
  beforeAll(async () => {
    url = await ownDatabase('search');
    recorder = await QueryRecorder.inFrontOf(url);
    service = await startService({ DATABASE_URL: recorder.url, MIGRATE_ON_START: 'true', SIMULATOR: 'on' });
    [caller, other] = await Promise.all([createCaller({ at: service.url }), createCaller({ at: service.url })]);
    await onDatabase(url, async (client) => {
      await client.query(
        `insert into evals (id, user_id, prompt, models, temperature, max_tokens, total_cost, charge, is_free, fastest_model, cheapest_model, created_at, duration_ms)
        select 'eval_00' || lpad(n::text, 24, '0'), $1, 'Number ' || n || ' says 100% in a_b.', '{gone-model}', 0.7, 500, 0.001, 0.0014, false, 'gone-model', 'gone-model', now(), 100
        from generate_series(1, ${EVALS}) n`,
        [caller.userId],
      );
      await client.query('vacuum analyze');
    });
  });
  afterAll(async () => {
    await service.stop();
    await recorder.close();
  });

  const nextOf = (headers: Headers) => /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];

  /** The ids on each page, by the Link header from page to page. */
  async function pages(query: string, as = caller): Promise<string[][]> {
    const found: string[][] = [];
    for (let path: string | undefined = `/api/v1/evals?${query}`; path !== undefined;) {
      const { status, headers, body } = await as.get(path);
      expect([path, status]).toEqual([path, 200]);
      found.push(body.evals.map((one: { eval_id: string }) => one.eval_id));
      path = nextOf(headers);
    }
    return found;
  }

  it('hands on a cursor after 5,000 evals, even when it has found nothing, until all have been looked at', async () => {
    expect(await pages('q=number+7+says')).toEqual([[], [], [idOf(7)]]);
    expect(await pages('q=nothing+like+it')).toEqual([[], [], []]);
  });

  it('hands on a cursor after 4 MB of prompts, so that long ones take no longer', async () => {
    const writer = await createCaller({ at: service.url });
    await onDatabase(url, (client) =>
      client.query(
        `insert into evals (id, user_id, prompt, models, temperature, max_tokens, total_cost, charge, is_free, fastest_model, cheapest_model, created_at, duration_ms)
      select 'eval_01' || lpad(n::text, 24, '0'), $1, 'Number ' || n || repeat(' word', 6000), '{gone-model}', 0.7, 500, 0.001, 0.0014, false, 'gone-model', 'gone-model', now(), 100
      from generate_series(1, 300) n`,
        [writer.userId],
      ),
    );
    // 300 prompts of 30,010 bytes; the prompt that crosses the bound is still read.
    expect(await pages('q=nothing+like+it', writer)).toEqual([[], [], []]);
    expect(await pages('q=number+7+word', writer)).toEqual([[], [], [`eval_01${'7'.padStart(24, '0')}`]]);
  });

  it('goes on exactly where a full page ended', async () => {
    const found = await pages('q=number+119&limit=50');
    expect(found.flat()).toEqual([
      ...Array.from({ length: 100 }, (_, n) => idOf(11_999 - n)),
      ...Array.from({ length: 10 }, (_, n) => idOf(1199 - n)),
      idOf(119),
    ]);
    expect(found[0]).toHaveLength(50);
  });

  /** Both have the order of a user's evals. */
  const EITHER = /^evals_(by_user|outside_experiments)_index$/;
  it('reads no more evals than that, by the index on user and id, and not one more to find the end', async () => {
    const sent = await recorder.during(async () => void (await caller.get('/api/v1/evals?q=nothing+like+it')));
    const search = sent.filter(({ sql }) => sql.includes('position(lower('));
    expect(search).toHaveLength(1);
    for (const plan of await onDatabase(url, (client) => runsOf(client, search[0] as (typeof search)[number]))) {
      const reads = [...nodesOf(plan)].filter(
        (node) => node['Relation Name'] === 'evals' && node['Actual Loops'] !== 0,
      ) as { 'Index Name'?: string; 'Actual Rows'?: number; 'Rows Removed by Filter'?: number }[];
      expect(reads.map((node) => node['Index Name'])).toEqual([
        expect.stringMatching(EITHER),
        expect.stringMatching(EITHER),
      ]);
      for (const node of reads)
        expect((node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)).toBe(SEARCHED);
    }
  });

  it('answers a search that finds nothing within ten times a plain page', async () => {
    const measured = async () => {
      const [plain, search]: [number[], number[]] = [[], []];
      for (let turn = 0; turn < TURNS; turn += 1) {
        for (const [times, query] of [
          [plain, ''],
          [search, '?q=nothing+like+it'],
        ] as const) {
          const begun = performance.now();
          expect((await caller.get(`/api/v1/evals${query}`)).status).toBe(200);
          times.push(performance.now() - begun);
        }
      }
      // Other work of the machine makes single answers slower, never faster.
      const ratio = Math.min(...search) / Math.min(...plain);
      process.stdout.write(`A search that finds nothing takes ${ratio.toFixed(1)} times as long as a plain page.\n`);
      return ratio;
    };
    expect(await leastWithin(MAX_RATIO, measured)).toBeLessThanOrEqual(MAX_RATIO);
  });

  it('finds parts of prompts in upper and lower case, and takes every character literally', async () => {
    const ids: string[] = [];
    for (const prompt of ['Grüße aus KÖLN', 'say "a\\b" and 50%_off'])
      ids.push((await caller.compare({ prompt, models: ['sim-swift'] })).body.eval_id);
    const first = async (q: string) =>
      (await caller.get(`/api/v1/evals?limit=100&q=${encodeURIComponent(q)}`)).body.evals.map(
        (one: { eval_id: string }) => one.eval_id,
      );
    expect(await first('grüße AUS köln')).toEqual([ids[0]]);
    for (const text of ['a\\b', '"a\\b" AND', '50%_o']) expect([text, await first(text)]).toEqual([text, [ids[1]]]);
    expect(await first('a%b')).toEqual([]);
    expect(await first('100_')).toEqual([]);
  });

  it('finds evals of a model, which may be gone, and of both together', async () => {
    expect((await pages('model=gone-model&limit=100')).flat()).toHaveLength(EVALS);
    expect(await pages('model=gone-model&q=number+3+says')).toEqual([[], [], [idOf(3)]]);
    expect((await pages('model=sim-quill&q=number')).flat()).toEqual([]);
    expect((await pages('model=GONE-MODEL')).flat()).toEqual([]);
  });

  it('keeps the search in the Link header, whatever characters it has', async () => {
    const { headers } = await caller.get(
      `/api/v1/evals?limit=7&include=details&model=gone-model&q=${encodeURIComponent('100% in a_b.')}`,
    );
    const next = new URL(nextOf(headers) ?? '', service.url);
    expect(Object.fromEntries(next.searchParams)).toEqual({
      limit: '7',
      include: 'details',
      model: 'gone-model',
      q: '100% in a_b.',
      cursor: expect.any(String),
    });
  });

  it('finds nothing of another user', async () => {
    expect(await pages('q=number', other)).toEqual([[]]);
  });

  it('adds charge, free and failed models to each line with include=details, searched or not', async () => {
    const { body } = await other.compare({
      prompt: 'Which? [[sim-sage:fail]] [[sim-titan:fail]]',
      models: ['sim-titan', 'sim-swift', 'sim-sage'],
    });
    const { details } = (await other.get(`/api/v1/evals/${body.eval_id}?include=details`)).body;
    for (const query of ['', '&q=WHICH']) {
      const [line] = (await other.get(`/api/v1/evals?include=details${query}`)).body.evals;
      expect(line.details).toEqual({
        charge_usd: details.charge_usd,
        free: details.free,
        failed_models: ['sim-titan', 'sim-sage'],
      });
    }
    expect(Object.keys((await other.get('/api/v1/evals')).body.evals[0])).not.toContain('details');
  });

  it.each(['q=', 'q=%20', `q=${'x'.repeat(201)}`, 'q=a&q=b', 'q=%00', 'model=', 'include=everything', 'q=a&cursor=x'])(
    'rejects %s',
    async (query) => {
      const { status, body } = await caller.get(`/api/v1/evals?${query}`);
      expect([status, body.error.code, body.error.param]).toEqual([
        400,
        'invalid_request',
        query.split('&').at(-1)?.split('=')[0],
      ]);
    },
  );

  it('rejects an offset, which every page would have to count again', async () => {
    const { status, body } = await caller.get('/api/v1/evals?q=a&offset=1');
    expect([status, body.error.param]).toEqual([400, 'offset']);
  });
});
