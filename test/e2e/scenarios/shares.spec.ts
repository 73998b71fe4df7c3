import { randomUUID } from 'node:crypto';
import { newShareToken } from '../../../src/modules/shares/share-token.format';
import { Api, operator, type Answer, type Json } from '../../support/api';
import { onDatabase, ownDatabase } from '../../support/database';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { startService, type ServiceProcess } from '../../support/service';
import { worker } from '../../support/worker';

const MISSING = 'eval_01k9z3t5v7x9b1d3f5h7k9m1n3';
const MODELS = ['sim-swift', 'sim-sage', 'sim-quill', 'sim-titan'];

const database = (sql: string, values: unknown[] = []) =>
  onDatabase(worker().databaseUrl, (client) => client.query(sql, values));
const compare = async (caller: Caller, body: object = {}): Promise<string> =>
  (await caller.compare({ prompt: 'hello', models: MODELS, ...body })).body.eval_id as string;
const share = async (caller: Caller, body: object): Promise<Json> => (await caller.post('/api/v1/shares', body)).body;
const view = (token: string, url?: string) => new Api(undefined, url).get(`/api/v1/shared/${token}`);
const withoutId = ({ status, text }: Answer<Json>) => [status, text.replace(/req_\w+/, 'req')];

describe('A share link', () => {
  it('shows an eval to everyone with the link, with statistics and agreement, and counts the views', async () => {
    const caller = await createCaller();
    const id = await compare(caller, { prompt: 'Say {input}', input: 'hello' });
    const created = await caller.post('/api/v1/shares', { subject: id });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      share_id: expect.stringMatching(/^shr_[0-9a-z]{26}$/),
      subject: id,
      redact: [],
      votes: false,
      status: 'live',
      created_at: expect.any(String),
      expires_at: expect.any(String),
      revoked_at: null,
      views: 0,
      token: expect.stringMatching(/^mcs_share_[0-9A-Za-z]{36}$/),
      url: `/shared/${created.body.token}`,
    });
    expect(Date.parse(created.body.expires_at) - Date.parse(created.body.created_at)).toBe(30 * 86_400_000);
    const { status, body, headers } = await view(created.body.token);
    expect(status).toBe(200);
    expect([
      headers.get('cache-control'),
      headers.get('x-robots-tag'),
      headers.get('referrer-policy'),
      headers.get('content-type'),
    ]).toEqual(['no-store', 'noindex', 'no-referrer', 'application/json; charset=utf-8']);
    const own = (await caller.get(`/api/v1/evals/${id}?include=statistics`)).body;
    expect(body).toEqual({
      redacted: [],
      expires_at: created.body.expires_at,
      prompt: 'Say {input}',
      input: 'hello',
      models: own.models,
      results: own.results,
      meta: own.meta,
      statistics: own.statistics,
      agreement: (await caller.get(`/api/v1/evals/${id}/agreement`)).body,
    });
    await view(created.body.token);
    expect((await caller.get('/api/v1/shares')).body.shares).toEqual([
      expect.objectContaining({ share_id: created.body.share_id, views: 2 }),
    ]);
  });

  it('is one and the same 404 when it is unknown, mistyped, expired, revoked, or its eval is erased', async () => {
    const caller = await createCaller();
    const links = await Promise.all(
      ['expired', 'revoked', 'erased'].map(async (what) => ({ what, subject: await compare(caller) })),
    );
    const [expired, revoked, erased] = await Promise.all(
      links.map(async ({ subject }) => ({ subject, ...(await share(caller, { subject })) })),
    );
    // Seen once each, so that whatever is remembered of them is remembered.
    for (const { token } of [expired, revoked, erased]) expect((await view(token)).status).toBe(200);
    await database("update shares set expires_at = now() - interval '1 second' where id = $1", [expired.share_id]);
    expect((await caller.delete(`/api/v1/shares/${revoked.share_id}`)).status).toBe(204);
    expect((await caller.delete(`/api/v1/evals/${erased.subject}`)).status).toBe(204);
    const last = (token: string) => token.slice(0, -1) + (token.endsWith('0') ? '1' : '0');
    const tokens = [
      newShareToken(),
      last(revoked.token),
      'x',
      `${revoked.token}x`,
      caller.key ?? '',
      'x'.repeat(5000),
      expired.token,
      revoked.token,
      erased.token,
    ];
    const answers = await Promise.all(tokens.map((token) => view(token)));
    for (const answer of answers) {
      expect(withoutId(answer)).toEqual([
        404,
        '{"error":{"code":"not_found","message":"This link shows nothing: it has ended, or it never existed.","request_id":"req"}}',
      ]);
      expect([...answer.headers.keys()]).toEqual([...(answers[0]?.headers.keys() ?? [])]);
      expect([
        answer.headers.get('x-robots-tag'),
        answer.headers.get('referrer-policy'),
        answer.headers.get('cache-control'),
      ]).toEqual(['noindex', 'no-referrer', 'no-store']);
    }
    expect((await caller.get('/api/v1/shares')).body.shares.map(({ status }: Json) => status).sort()).toEqual([
      'expired',
      'revoked',
    ]);
  });

  it('counts no view for HEAD, which answers as GET does, without a body', async () => {
    const caller = await createCaller();
    const { token } = await share(caller, { subject: await compare(caller) });
    const heads = await Promise.all(
      [token, newShareToken()].map((one) => new Api(undefined).call('HEAD', `/api/v1/shared/${one}`)),
    );
    expect(heads.map(({ status, text }) => [status, text])).toEqual([
      [200, ''],
      [404, ''],
    ]);
    const views = async () => (await caller.get('/api/v1/shares')).body.shares[0].views as number;
    expect(await views()).toBe(0);
    await view(token);
    expect(await views()).toBe(1);
  });

  it('ends for all its views when retention erases its eval', async () => {
    const caller = await createCaller();
    const { token } = await share(caller, { subject: await compare(caller) });
    await database('delete from evals where user_id = $1', [caller.userId]);
    expect((await view(token)).status).toBe(404);
    expect((await caller.get('/api/v1/shares')).body.shares).toEqual([]);
  });

  it('is kept as a keyed hash: neither the database nor the log holds its token', async () => {
    const service = await startService({ DATABASE_URL: worker().databaseUrl, SIMULATOR: 'on', LOG_LEVEL: 'trace' });
    const caller = await createCaller({ at: service.url });
    const { token } = await share(caller, { subject: await compare(caller) });
    for (const path of [
      '/api/v1/shared/TOKEN',
      '/shared/TOKEN',
      '/api/v1/shared/TOKEN/',
      '/api/v1/shared/TOKEN/more',
      '/api/v1/shares/TOKEN',
    ])
      await new Api(undefined, service.url).get(path.replace('TOKEN', token));
    await view(token.replaceAll('_', '%5F'), service.url);
    await service.stop();
    await eventually('the log is read', () => service.output().includes('/more'));
    expect(service.output()).toContain('/api/v1/shared/[redacted]');
    expect(service.output()).not.toContain(token.slice(10));
    const { rows } = await database(
      'select to_jsonb(shares) as row from shares where user_id = $1 union all select to_jsonb(audit_entries) from audit_entries where actor = $2',
      [caller.userId, caller.keyId],
    );
    expect(rows).toHaveLength(2);
    expect(JSON.stringify(rows)).not.toContain(token.slice(10));
  });

  it('works under the previous pepper, and from its next view on under the current one', async () => {
    const caller = await createCaller();
    const { token, share_id: id } = await share(caller, { subject: await compare(caller) });
    const hash = async () => (await database('select token_hash from shares where id = $1', [id])).rows[0] as object;
    const old = await hash();
    const service = await startService({
      DATABASE_URL: worker().databaseUrl,
      SIMULATOR: 'on',
      API_KEY_PEPPER: 'new-pepper-0123456789abcdef',
      API_KEY_PEPPER_PREVIOUS: 'test-pepper-0123456789abcdef',
    });
    expect((await view(token, service.url)).status).toBe(200);
    expect(await hash()).not.toEqual(old);
    expect((await view(token, service.url)).status).toBe(200);
    await service.stop();
  });
});

describe('Making share links', () => {
  it.each<[object | string, string | undefined, string]>([
    [{}, 'subject', 'subject is required'],
    [{ subject: 7 }, 'subject', 'subject must be an eval id such as eval_'],
    [{ subject: 'run_01k9z3t5v7x9b1d3f5h7k9m1n3' }, 'subject', 'subject must be an eval id such as eval_'],
    [
      { subject: MISSING, expires_in_days: 0 },
      'expires_in_days',
      'expires_in_days must be a whole number from 1 to 365',
    ],
    [
      { subject: MISSING, expires_in_days: 366 },
      'expires_in_days',
      'expires_in_days must be a whole number from 1 to 365',
    ],
    [
      { subject: MISSING, expires_in_days: 1.5 },
      'expires_in_days',
      'expires_in_days must be a whole number from 1 to 365',
    ],
    [
      { subject: MISSING, expires_in_days: '7' },
      'expires_in_days',
      'expires_in_days must be a whole number from 1 to 365, not a string',
    ],
    [{ subject: MISSING, redact: 'prompt' }, 'redact', 'redact must be an array of at most 4 redactions'],
    [{ subject: MISSING, redact: ['names'] }, 'redact[0]', 'redact[0] must be one of prompt, outputs, costs, models'],
    [
      { subject: MISSING, redact: ['costs', 'costs'] },
      'redact',
      'redact must not repeat an element; [1] is the same as [0]',
    ],
    [{ subject: MISSING, until: '2027-01-01' }, 'until', 'until'],
  ])('is refused for %j', async (body, param, message) => {
    const caller = await createCaller();
    const answer = await caller.post('/api/v1/shares', body);
    expect([answer.status, answer.body.error.code, answer.body.error.param]).toEqual([400, 'invalid_request', param]);
    expect(answer.body.error.message).toContain(message);
    expect((await caller.get('/api/v1/shares')).body.shares).toEqual([]);
  });

  it("is refused for another user's eval with the same bytes as for a nonexistent or erased one", async () => {
    const [owner, otherUser] = [await createCaller(), await createCaller()];
    const [theirs, erased] = [await compare(owner), await compare(otherUser)];
    await otherUser.delete(`/api/v1/evals/${erased}`);
    const answers = await Promise.all(
      [theirs, erased, MISSING].map(async (subject) => withoutId(await otherUser.post('/api/v1/shares', { subject }))),
    );
    expect(answers).toEqual(
      answers.map(() => [
        404,
        '{"error":{"code":"not_found","message":"No eval with this id exists.","param":"subject","request_id":"req"}}',
      ]),
    );
    expect((await otherUser.get('/api/v1/shares')).body.shares).toEqual([]);
  });

  it('needs the right to read evals, which a link would get around', async () => {
    const caller = await createCaller();
    const subject = await compare(caller);
    await operator().patch(`/api/v1/admin/keys/${caller.keyId}`, { scopes: ['shares'] });
    const { status, body } = await caller.post('/api/v1/shares', { subject });
    expect([status, body.error.code, body.error.details]).toEqual([
      403,
      'insufficient_scope',
      { required_scope: 'evals:read', docs: '/docs/guide/errors#insufficient_scope' },
    ]);
    expect((await caller.get('/api/v1/shares')).body.shares).toEqual([]);
  });

  it('leaves an entry in the audit log, as revoking does once', async () => {
    const caller = await createCaller();
    const subject = await compare(caller);
    const { share_id: id, expires_at: expiresAt } = await share(caller, { subject, redact: ['costs'] });
    for (let times = 0; times < 2; times += 1) expect((await caller.delete(`/api/v1/shares/${id}`)).status).toBe(204);
    // The key has done it; nothing was done to the key.
    expect(
      (await operator().get(`/api/v1/admin/audit?target=${caller.keyId}`)).body.entries.map(
        ({ action }: Json) => action,
      ),
    ).toEqual(['key.issued']);
    const { entries } = (await operator().get(`/api/v1/admin/audit?target=${id}`)).body;
    expect(
      entries.map(({ action, target_type: type, actor, address, changes }: Json) => ({
        action,
        type,
        actor,
        address,
        changes,
      })),
    ).toEqual([
      {
        action: 'share.revoked',
        type: 'share',
        actor: caller.keyId,
        address: '127.0.0.1',
        changes: { revoked_at: { from: null, to: expect.any(String) } },
      },
      {
        action: 'share.created',
        type: 'share',
        actor: caller.keyId,
        address: '127.0.0.1',
        changes: {
          user_id: { from: null, to: caller.userId },
          eval_id: { from: null, to: subject },
          redact: { from: null, to: ['costs'] },
          votes: { from: null, to: false },
          expires_at: { from: null, to: expiresAt },
        },
      },
    ]);
  });
});

describe('The list of share links', () => {
  it('is paged, newest first, and of one eval when that is asked for', async () => {
    const caller = await createCaller();
    const [one, other] = [await compare(caller), await compare(caller)];
    const ids: string[] = [];
    for (const subject of [one, other, one, one, other]) ids.unshift((await share(caller, { subject })).share_id);
    const seen: string[] = [];
    let path: string | undefined = '/api/v1/shares?limit=2';
    while (path !== undefined) {
      const page = await caller.get(path);
      expect(page.body.limit).toBe(2);
      seen.push(...page.body.shares.map(({ share_id: id }: Json) => id));
      path = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(ids);
    const first = await caller.get(`/api/v1/shares?subject=${other}&limit=1`);
    const second = await caller.get(/^<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? '');
    expect(
      [...first.body.shares, ...second.body.shares].map(({ share_id: id, subject }: Json) => [id, subject]),
    ).toEqual([
      [ids[0], other],
      [ids[3], other],
    ]);
    expect(second.headers.get('link')).toBeNull();
    expect(Object.keys(first.body.shares[0])).toEqual([
      'share_id',
      'subject',
      'redact',
      'votes',
      'status',
      'created_at',
      'expires_at',
      'revoked_at',
      'views',
    ]);
  });

  it.each(['limit=0', 'cursor=shr_1', 'subject=eval_1', 'subject=', 'limit=1&limit=2'])(
    'is refused for the query %s',
    async (query) => {
      const { status, body } = await (await createCaller()).get(`/api/v1/shares?${query}`);
      expect([status, body.error.param]).toEqual([400, query.split('=')[0]]);
    },
  );

  it("holds nothing of another user's, whose links cannot be revoked", async () => {
    const [owner, otherUser] = [await createCaller(), await createCaller()];
    const subject = await compare(owner);
    const { share_id: id, token } = await share(owner, { subject });
    expect((await otherUser.get(`/api/v1/shares?subject=${subject}`)).body.shares).toEqual([]);
    const answers = await Promise.all(
      [id, 'shr_01k9z3t5v7x9b1d3f5h7k9m1n3', 'x', token].map(async (one) =>
        withoutId(await otherUser.delete(`/api/v1/shares/${one}`)),
      ),
    );
    expect(answers).toEqual(
      answers.map(() => [
        404,
        '{"error":{"code":"not_found","message":"No share with this id exists.","request_id":"req"}}',
      ]),
    );
    expect((await view(token)).status).toBe(200);
  });
});

describe('The limits of share links', () => {
  let service: ServiceProcess;
  let caller: Caller;
  let subject: string;
  beforeAll(async () => {
    service = await startService({
      DATABASE_URL: worker().databaseUrl,
      SIMULATOR: 'on',
      RATE_LIMIT_AUTH_FAILURES_PER_MINUTE: '5',
    });
    caller = await createCaller({ at: service.url });
    subject = await compare(caller);
  });
  afterAll(() => service.stop());

  it('hold for links that are made at once, and for those of the last day that were revoked', async () => {
    // 997 links, so that three more are allowed; their ids are older than all others.
    await database(
      `
      insert into shares (id, user_id, eval_id, token_hash, redact, seed, created_at, expires_at)
      select 'shr_00' || substr(md5($1 || n), 1, 24), $1, $2, $1 || n, '{}', '', now(), now() + interval '30 days' from generate_series(1, 997) as n`,
      [caller.userId, subject],
    );
    const answers = await Promise.all(Array.from({ length: 10 }, () => caller.post('/api/v1/shares', { subject })));
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array<number>(3).fill(201),
      ...Array<number>(7).fill(409),
    ]);
    const refused = () => caller.post('/api/v1/shares', { subject });
    expect((await refused()).body.error).toMatchObject({
      code: 'conflict',
      message:
        'A user can have 1,000 live shares and make 1,000 a day; revoke some that are no longer needed, or wait.',
    });
    const [one, other] = (await caller.get('/api/v1/shares')).body.shares;
    await caller.delete(`/api/v1/shares/${one.share_id}`);
    expect((await refused()).status).toBe(409);
    // A day later, the revoked one no longer counts, the live ones do.
    await database("update shares set created_at = created_at - interval '1 day' where user_id = $1", [caller.userId]);
    expect((await refused()).status).toBe(201);
    expect((await refused()).status).toBe(409);
    await database("update shares set expires_at = now() - interval '1 second' where id = $1", [other.share_id]);
    expect((await refused()).status).toBe(201);
    const stranger = await createCaller({ at: service.url });
    expect((await stranger.post('/api/v1/shares', { subject: await compare(stranger) })).status).toBe(201);
  });

  it('count views by address, whatever the link, and nothing else', async () => {
    const statuses: number[] = [];
    for (let times = 0; times < 7; times += 1) statuses.push((await view(newShareToken(), service.url)).status);
    expect(statuses).toEqual([404, 404, 404, 404, 404, 429, 429]);
    const { headers, body } = await view('x', service.url);
    expect([headers.get('ratelimit-policy'), headers.get('x-robots-tag'), body.error.code]).toEqual([
      '"shared";q=5;w=60',
      'noindex',
      'rate_limited',
    ]);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await caller.get('/api/v1/shares')).status).toBe(200);
  });
});

describe('Ended share links', () => {
  it('are deleted after 30 days, by any number of processes, and no others', async () => {
    const databaseUrl = await ownDatabase('shares');
    const variables = { DATABASE_URL: databaseUrl, MIGRATE_ON_START: 'true', SIMULATOR: 'on' };
    const first = await startService({ ...variables, TEST_CLOCK: '2031-03-01T00:00:00Z' });
    const caller = await createCaller({ at: first.url });
    const id = await compare(caller);
    await first.stop();
    const ages = {
      old: "'2031-03-01', null",
      revoked: "'2032-01-01', '2031-03-01'",
      young: "'2031-03-20', null",
      live: "'2032-01-01', null",
    };
    await onDatabase(databaseUrl, async (client) => {
      for (const [name, ends] of Object.entries(ages)) {
        await client.query(
          `insert into shares (id, user_id, eval_id, token_hash, redact, seed, created_at, expires_at, revoked_at) select $1 || n, $2, $3, $1 || n, '{}', '', '2031-01-01', ${ends} from generate_series(1, 1100) n`,
          [name, caller.userId, id],
        );
      }
    });
    const services = await Promise.all(
      [1, 2].map(() => startService({ ...variables, TEST_CLOCK: '2031-04-05T00:00:00Z' })),
    );
    const left = () =>
      onDatabase(
        databaseUrl,
        async (client) =>
          (
            await client.query(
              "select regexp_replace(id, '\\d+', '') as name, count(*)::int from shares group by 1 order by 1",
            )
          ).rows,
      );
    await eventually('the ended ones are deleted', async () => (await left()).length === 2);
    expect(await left()).toEqual([
      { name: 'live', count: 1100 },
      { name: 'young', count: 1100 },
    ]);
    await Promise.all(services.map((service) => service.stop()));
  });
});

describe('A link that many people open', () => {
  it('is computed once, counted for all of them, and ends for all of them', async () => {
    const caller = await createCaller();
    const { token, share_id: id } = await share(caller, {
      subject: await compare(caller, { prompt: `many ${randomUUID()}` }),
    });
    const answers = await Promise.all(Array.from({ length: 40 }, () => view(token)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect((await caller.get('/api/v1/shares')).body.shares[0]).toMatchObject({ share_id: id, views: 40 });
    await caller.delete(`/api/v1/shares/${id}`);
    const late = await Promise.all(Array.from({ length: 5 }, () => view(token)));
    expect(late.map(({ status }) => status)).toEqual(late.map(() => 404));
  });
});
