import { newShareToken } from '../../../src/modules/shares/share-token.format';
import { Api, type Answer, type Json } from '../../support/api';
import { onDatabase, ownDatabase } from '../../support/database';
import { createCaller, type Caller } from '../../support/factories';
import { startService } from '../../support/service';
import { leastWithin } from '../../support/timing';
import { worker } from '../../support/worker';

const DAY_MS = 86_400_000;
const MAX_RATIO = 2;
const database = (sql: string, values: unknown[] = [], url = worker().databaseUrl) =>
  onDatabase(url, (client) => client.query(sql, values));
const compare = async (caller: Caller, body: object = {}): Promise<string> =>
  (await caller.compare({ prompt: 'hello', models: ['sim-swift', 'sim-sage'], ...body })).body.eval_id as string;
const share = async (caller: Caller, body: object): Promise<Json> => (await caller.post('/api/v1/shares', body)).body;
const view = (token: string, url?: string): Promise<Answer<Json>> =>
  new Api(undefined, url).get(`/api/v1/shared/${token}`);

/** All that somebody can see of an answer, but what differs between any two. */
function seen({ status, headers, text }: Answer<Json>): unknown {
  const own = ['date', 'x-request-id', 'ratelimit'];
  return [status, [...headers].filter(([name]) => !own.includes(name)), text.replace(/req_\w+/, 'req')];
}

function median(values: number[] = []): number {
  return values.sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}

describe('A link that shows nothing', () => {
  it('gives nothing away by a header, or by the time that it takes, about why', async () => {
    const caller = await createCaller();
    const [expired, revoked, erased] = [
      await share(caller, { subject: await compare(caller) }),
      await share(caller, { subject: await compare(caller) }),
      await share(caller, { subject: await compare(caller) }),
    ];
    await database("update shares set expires_at = now() - interval '1 second' where id = $1", [expired.share_id]);
    await caller.delete(`/api/v1/shares/${revoked.share_id}`);
    await caller.delete(`/api/v1/evals/${erased.subject}`);
    const tokens: Record<string, string> = {
      unknown: newShareToken(),
      expired: expired.token,
      revoked: revoked.token,
      erased: erased.token,
    };
    const answers = new Set<string>();
    const ratio = async () => {
      const times = Object.fromEntries(Object.keys(tokens).map((name): [string, number[]] => [name, []]));
      for (let round = 0; round < 120; round += 1) {
        // In turns, so that whatever else the machine does meets all alike.
        for (const [name, token] of Object.entries(tokens).toSorted(() => (round % 2 === 0 ? 1 : -1))) {
          const begun = performance.now();
          const answer = await view(token);
          times[name]?.push(performance.now() - begun);
          answers.add(JSON.stringify(seen(answer)));
        }
      }
      const medians = Object.values(times).map(median);
      return Math.max(...medians) / Math.min(...medians);
    };
    expect(await leastWithin(MAX_RATIO, ratio)).toBeLessThanOrEqual(MAX_RATIO);
    expect(answers.size).toBe(1);
  });

  it.each(['x', '%20', 'mcs_share_', '..%2Fevals', `mcs_share_${'0'.repeat(36)}`, 'MCS_SHARE_x'])(
    'is the same for the text %s',
    async (text) => {
      expect(seen(await view(text))).toEqual(seen(await view(newShareToken())));
    },
  );

  it('is what a link with any one character changed is', async () => {
    const caller = await createCaller();
    const { token, share_id: id } = await share(caller, { subject: await compare(caller) });
    const unknown = seen(await view(newShareToken()));
    for (let at = 0; at < token.length; at += 1) {
      const changed = token.slice(0, at) + (token[at] === 'a' ? 'b' : 'a') + token.slice(at + 1);
      expect(seen(await view(changed))).toEqual(unknown);
    }
    expect((await caller.get('/api/v1/shares')).body.shares).toEqual([
      expect.objectContaining({ share_id: id, views: 0 }),
    ]);
  });
});

describe('The end of a link', () => {
  it('comes at its instant by the clock of the service, for its view and for the list alike', async () => {
    const url = await ownDatabase('share_end');
    const service = await startService({ DATABASE_URL: url, SIMULATOR: 'on' });
    const caller = await createCaller({ at: service.url });
    const { token } = await share(caller, { subject: await compare(caller), expires_in_days: 1 });
    const statusAfter = async (ms: number) => {
      await service.moveClock(ms);
      return [
        (await view(token, service.url)).status,
        (await caller.get('/api/v1/shares')).body.shares.map(({ status }: Json) => status),
      ];
    };
    expect(await statusAfter(DAY_MS - 600_000)).toEqual([200, ['live']]);
    expect(await statusAfter(600_000)).toEqual([404, ['expired']]);
    await service.stop();
  });
});

describe('The 1,001st link', () => {
  it('is refused, also to two concurrent requests, and not to other users', async () => {
    const [caller, other] = [await createCaller(), await createCaller()];
    const [subject, theirs] = [await compare(caller), await compare(other)];
    const { share_id: first } = await share(caller, { subject });
    await database(
      `
      insert into shares (id, user_id, eval_id, token_hash, redact, seed, created_at, expires_at)
      select 'shr_' || lpad(n::text, 26, '0'), user_id, eval_id, id || n, redact, seed, created_at, expires_at from shares, generate_series(1, 998) as n where id = $1`,
      [first],
    );
    const answers = await Promise.all([1, 2].map(() => caller.post('/api/v1/shares', { subject })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    const refused = answers.find(({ status }) => status === 409);
    expect(refused?.body.error).toMatchObject({
      code: 'conflict',
      message:
        'A user can have 1,000 live shares and make 1,000 a day; revoke some that are no longer needed, or wait.',
    });
    expect((await other.post('/api/v1/shares', { subject: theirs })).status).toBe(201);
    // However many a neighbor has, the own list holds the own one.
    expect((await other.get('/api/v1/shares?limit=100')).body.shares).toHaveLength(1);
    const { rows } = await database('select count(*)::int as count from shares where user_id = $1', [caller.userId]);
    expect(rows).toEqual([{ count: 1000 }]);
  });
});

describe('Guessing links', () => {
  it('is counted by address, and neither a key, a header nor another path resets the count', async () => {
    const service = await startService({
      DATABASE_URL: worker().databaseUrl,
      SIMULATOR: 'on',
      RATE_LIMIT_AUTH_FAILURES_PER_MINUTE: '4',
    });
    const caller = await createCaller({ at: service.url });
    const { token } = await share(caller, { subject: await compare(caller) });
    const guess = (key: string | undefined, headers: Record<string, string> = {}, path = newShareToken()) =>
      new Api(key, service.url).get(`/api/v1/shared/${path}`, { headers });
    const statuses = [
      await guess(undefined),
      await guess(caller.key),
      await guess(undefined, {
        'x-forwarded-for': '203.0.113.7',
        forwarded: 'for=203.0.113.7',
        'x-real-ip': '203.0.113.7',
      }),
      await guess(undefined, {}, `${newShareToken()}?a=1`),
      await guess(undefined),
      await guess('mcs_wrong'),
      await guess(undefined, { 'x-forwarded-for': '203.0.113.8' }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([404, 404, 404, 404, 429, 429, 429]);
    // Who guesses wears out the views of the own address, and learns nothing from the refusal.
    const [right, wrong] = [await guess(undefined, {}, token), await guess(undefined)];
    const bare = ({ status, text, headers }: Answer<Json>) => [
      status,
      text.replace(/req_\w+/, 'req'),
      [...headers.keys()],
    ];
    expect(bare(right)).toEqual(bare(wrong));
    expect((await caller.get('/api/v1/shares')).body.shares).toEqual([expect.objectContaining({ views: 0 })]);
    await service.stop();
  });
});

describe('What the whole of a blind link holds', () => {
  it('is nothing that names a model, an id, a key, a user, a check, or an amount', async () => {
    const caller = await createCaller();
    const checks = [
      { type: 'contains', values: ['CANARYVALUE'], name: 'said' },
      { type: 'regex', pattern: 'CANARYPATTERN' },
      { type: 'json', schema: { title: 'CANARYSCHEMA', type: 'object' } },
      { type: 'number', value: 424_242 },
      { type: 'cost', max_usd: 0.000000123 },
    ];
    const prompt = 'CANARYPROMPT sim-sage [[sim-quill:fail=overloaded]]';
    const models = ['sim-swift', 'sim-sage', 'sim-quill', 'sim-titan'];
    const subject = await compare(caller, {
      prompt,
      input: 'CANARYINPUT',
      models,
      options: { samples: 3, temperature: 0.314159, max_tokens: 77 },
      checks,
    });
    const redact = ['models', 'prompt', 'costs', 'outputs'];
    const { token, share_id: id } = await share(caller, { subject, redact });
    const { status, text, headers, body } = await view(token);
    expect(status).toBe(200);
    const whole = JSON.stringify([...headers]) + text;
    const own = (await caller.get(`/api/v1/evals/${subject}?include=details,checks,statistics`)).body;
    const details = own.results
      .flatMap(({ output, details: { vendor_model: model } }: Json) => [output, model])
      .filter((word: string) => word !== '' && word !== undefined);
    const secrets = [
      subject,
      id,
      token,
      caller.userId,
      caller.keyId,
      caller.email,
      caller.key ?? '',
      ...models,
      'simulator',
      'CANARY',
      '424242',
      '0.000000123',
      '1.23e-7',
      '0.314159',
      'request_hash',
      'rerun',
      'charge',
      ...details,
    ];
    for (const secret of secrets) expect(whole).not.toContain(secret);
    expect(Object.keys(body)).toEqual([
      'redacted',
      'expires_at',
      'models',
      'results',
      'meta',
      'checks',
      'statistics',
      'agreement',
    ]);
    expect(body.checks.definitions).toEqual([]);
    expect(body.checks.by_model.map(({ model }: Json) => model)).toEqual(['Model A', 'Model B', 'Model C', 'Model D']);
    for (const result of body.results) {
      expect(Object.keys(result).filter((name) => !['model', 'latency_ms', 'checks', 'error'].includes(name))).toEqual(
        [],
      );
      for (const verdict of result.checks) expect(Object.keys(verdict)).toEqual(['name', 'type', 'outcome', 'score']);
    }
    for (const statistic of body.statistics.models)
      expect([statistic.cost_usd, statistic.output_tokens]).toEqual([null, null]);
    expect([body.statistics.cheapest, body.meta.cheapest_model, body.meta.total_cost_usd]).toEqual([
      null,
      undefined,
      undefined,
    ]);
  });
});
