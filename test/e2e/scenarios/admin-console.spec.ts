import { randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Api, operator, type Json } from '../../support/api';
import { runCommand } from '../../support/command';
import { onDatabase } from '../../support/database';
import { createCaller } from '../../support/factories';
import { admin, adminJson } from '../../support/mcs-admin';
import { TEST_SECRETS } from '../../support/service';
import { temporaryFolder } from '../../support/temporary-folder';
import { worker } from '../../support/worker';

const NOBODY = `user_${'0'.repeat(26)}`;
const newEmail = () => `${randomUUID()}@example.com`;
const entriesOf = async (target: string): Promise<Json[]> =>
  (await operator().get(`/api/v1/admin/audit?limit=100&target=${target}`)).body.entries;
/** Refused by the service, with its sentence, code and request id. */
const refusal = (sentence: string, code = 'invalid_request') => ({
  code: 2,
  out: '',
  errors: expect.stringMatching(`^mcs: ${escaped(sentence)} \\(${code}\\)\nRequest \\S+\n$`) as unknown,
});
/** Refused before anything is sent. */
const usage = (sentence: string) => ({ code: 2, out: '', errors: `${sentence}\n` });
const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const NO_USER = refusal('There is no user with this id.', 'not_found');

describe('mcs admin users', () => {
  it('creates, shows, changes and lists users as the admin endpoints do, and the audit log has every change', async () => {
    const email = newEmail();
    const created = await adminJson(
      'users',
      'create',
      email,
      '--free-quota',
      '7',
      '--has-payment-method',
      'true',
      '--max-per-month',
      '12.345678',
    );
    const path = `/api/v1/admin/users/${created.id}`;
    expect(created).toEqual({
      id: expect.stringMatching(/^user_/),
      email,
      free_quota: 7,
      has_payment_method: true,
      monthly_spend_limit_usd: 12.345678,
      created_at: expect.any(String),
    });
    expect((await operator().get(path)).body).toEqual(created);

    const limited = await adminJson(
      'users',
      'limit',
      created.id,
      '--monthly-spend-limit-usd',
      'null',
      '--free-quota',
      '3',
    );
    expect(limited).toEqual({ ...created, free_quota: 3, monthly_spend_limit_usd: null });
    expect((await operator().get(path)).body).toEqual(limited);
    expect(await adminJson('users', 'show', created.id)).toEqual(limited);
    for (const address of [email, email.toUpperCase()])
      expect(await adminJson('users', 'show', address)).toEqual(limited);
    expect((await adminJson('audit', '--target', email)).entries).toEqual(await entriesOf(created.id));
    expect(await admin(['users', 'limit', `no-${email}`, '--free-quota', '1'])).toEqual(
      usage(`mcs: No user has the e-mail address no-${email}.`),
    );
    expect((await admin(['users', 'show', created.id])).out).toContain(
      `id\t${created.id}\nemail\t${email}\nfree_quota\t3\n`,
    );

    expect(await entriesOf(created.id)).toEqual([
      expect.objectContaining({
        action: 'user.updated',
        actor: expect.stringMatching(/^admin_/),
        changes: { free_quota: { from: 7, to: 3 }, monthly_spend_limit: { from: '12.345678', to: null } },
      }),
      expect.objectContaining({ action: 'user.created', request_id: expect.any(String), address: expect.any(String) }),
    ]);
  });

  it('lists as many as asked for, oldest first', async () => {
    const created = [await adminJson('users', 'create', newEmail()), await adminJson('users', 'create', newEmail())];
    const ids = (await adminJson('users', 'list', '-n', '100000')).users.map(({ id }: Json) => id);
    expect(ids).toEqual([...new Set(ids)].sort());
    expect(ids).toEqual(expect.arrayContaining(created.map(({ id }) => id)));
    const { out } = await admin(['users', 'list', '--number', '1']);
    expect(out).toMatch(
      /^id\tcreated_at\tfree_quota\thas_payment_method\tmonthly_spend_limit_usd\temail\nuser_[^\n]*\n$/,
    );
    expect((await adminJson('users', 'list', '-n', '0')).users).toEqual([]);
  });

  it('corrects a charge by a new row, for a given month', async () => {
    const caller = await createCaller();
    const adjusted = await adminJson(
      'users',
      'adjust',
      caller.userId,
      '--amount-usd',
      '-2.5',
      '--reason',
      'Goodwill',
      '--month',
      '2026-01',
    );
    expect(adjusted).toEqual({
      id: expect.stringMatching(/^chg_/),
      month: '2026-01',
      amount_usd: -2.5,
      reason: 'Goodwill',
      created_at: expect.any(String),
    });
    expect((await caller.get('/api/v1/usage?month=2026-01')).body.total_charge_usd).toBe(-2.5);
  });

  it.each<[words: string, args: string[], end: object]>([
    [
      'an e-mail address that is none',
      ['create', 'x'],
      refusal('email must be an e-mail address such as dev@example.com.'),
    ],
    [
      'a negative limit',
      ['limit', NOBODY, '--monthly-spend-limit-usd', '-1'],
      refusal('monthly_spend_limit_usd must be a number of dollars from 0 to 1,000,000,000, or null.'),
    ],
    [
      'an amount with more digits than a number keeps',
      ['limit', NOBODY, '--monthly-spend-limit-usd', '0.1234567890123456'],
      refusal('monthly_spend_limit_usd must have at most 15 significant digits.'),
    ],
    [
      'a quota that is not whole',
      ['create', newEmail(), '--free-quota', '1.5'],
      refusal('free_quota must be a whole number from 0 to 1,000,000,000, or null.'),
    ],
    [
      'an amount of 0',
      ['adjust', NOBODY, '--amount-usd', '0', '--reason', 'none'],
      refusal('amount_usd must not be 0.'),
    ],
    ['a user who does not exist', ['show', NOBODY], NO_USER],
    ['limits of a user who does not exist', ['limit', NOBODY, '--free-quota', '1'], NO_USER],
    [
      'a limit that is no number',
      ['limit', NOBODY, '--monthly-spend-limit-usd', 'much'],
      usage("mcs: option '--monthly-spend-limit-usd <usd>' argument 'much' is invalid. It must be a number."),
    ],
    [
      'a payment method that is neither',
      ['limit', NOBODY, '--has-payment-method', 'maybe'],
      usage(
        "mcs: option '--has-payment-method <true|false>' argument 'maybe' is invalid. Allowed choices are true, false.",
      ),
    ],
    ['a negative number of users', ['list', '-n', '-1'], usage('mcs: --number must be a number that is not negative.')],
    ['no user', ['show'], usage("mcs: missing required argument 'user'")],
    [
      'two users',
      ['show', NOBODY, NOBODY],
      usage(`mcs: too many arguments for 'show'. Expected 1 argument but got 2: ${NOBODY}, ${NOBODY}.`),
    ],
    [
      'no limit',
      ['limit', NOBODY],
      usage('mcs: Nothing to change: name at least one of --free-quota, --has-payment-method and --max-per-month.'),
    ],
    [
      'a correction without a reason',
      ['adjust', NOBODY, '--amount-usd', '1'],
      usage("mcs: required option '--reason <text>' not specified"),
    ],
    ['an unknown option', ['list', '--everything'], usage("mcs: unknown option '--everything'")],
    [
      'an option that is nearly right',
      ['limit', NOBODY, '--max-per-mont', '1'],
      usage("mcs: unknown option '--max-per-mont'\n(Did you mean --max-per-month?)"),
    ],
    ['an unknown command', ['delete', NOBODY], usage("mcs: unknown command 'delete'")],
    ['an unknown command that would paint the terminal', ['\u001b[2J'], usage("mcs: unknown command '\\u001b[2J'")],
  ])('refuses %s in one sentence', async (_, args, end) => {
    expect(await admin(['users', ...args])).toEqual(end);
  });

  it('refuses an e-mail address that is taken', async () => {
    const { email } = await createCaller();
    expect(await admin(['users', 'create', email])).toEqual(
      refusal('There is a user with this e-mail address already.', 'conflict'),
    );
  });

  it('hands no control character of a stored text to the terminal, and shows every one', async () => {
    const { userId, email } = await createCaller();
    const hostile = `"\u001b]0;x\u0007\u009b2J\u202e"${randomUUID()}@example.com`;
    const setEmail = (to: string) =>
      onDatabase(worker().databaseUrl, (client) =>
        client.query('update users set email = $2 where id = $1', [userId, to]),
      );
    await setEmail(hostile);
    const inWords = await admin(['users', 'show', userId]);
    const asJson = await admin(['users', 'show', userId, '--json']);
    // Other tests list all users of this database and want addresses.
    await setEmail(email);
    expect(inWords.out).toContain('email\t"␛]0;x␇\ufffd2J\ufffd"');
    expect(JSON.parse(asJson.out).email).toBe(hostile);
    for (const { out } of [inWords, asJson]) expect(out).not.toMatch(/[^\n\t\P{Cc}]|[\u2028\u202e]/u);
  });
});

describe('mcs admin keys', () => {
  it('issues a key that works at once, shows it once and only on standard output, and lists it without', async () => {
    const { userId, email } = await createCaller();
    const { code, out, errors } = await admin([
      'keys',
      'issue',
      email,
      '--name',
      'ci',
      '--scopes',
      'usage:read,models:read',
      '--models',
      'sim-swift',
      '--max-per-month',
      '10',
      '--expires-at',
      '2199-01-01T00:00:00Z',
    ]);
    expect({ code, errors }).toEqual({ code: 0, errors: 'The key is shown only this once.\n' });
    expect(out).toMatch(/^what\tvalue\napi_key\tmcs_/);
    const [, secret = '', ...more] = out.split(/(mcs_[A-Za-z0-9]{20,})/);
    expect(more).toHaveLength(1);
    expect((await new Api(secret).get('/api/v1/usage')).status).toBe(200);
    expect((await new Api(secret).get('/api/v1/evals')).status).toBe(403);

    const listed = await admin(['keys', 'list', userId]);
    expect(listed.out).toMatch(
      /^id\tprefix\tcreated_at\tlast_used_at\texpires_at\trevoked_at\tmonthly_spend_limit_usd\tname\nkey_\w+\t.*\t10\tci\nkey_\w+\t.*\ttest\n$/,
    );
    const { keys } = await adminJson('keys', 'list', userId);
    expect(keys).toEqual((await operator().get(`/api/v1/admin/users/${userId}/keys`)).body.keys);
    expect(keys[0]).toMatchObject({
      name: 'ci',
      scopes: ['usage:read', 'models:read'],
      allowed_models: ['sim-swift'],
      monthly_spend_limit_usd: 10,
      expires_at: '2199-01-01T00:00:00.000Z',
    });
    const audited = await admin(['audit', '--target', keys[0].id]);
    expect(audited.out).toMatch(/\tkey\.issued\tkey_\w+\t\S+\t\S+\tadmin_\w+\t.*name: null → "ci"; /);
    const earlier = await adminJson(
      'keys',
      'issue',
      userId,
      '--name',
      'earlier',
      '--allowed-models',
      'sim-swift',
      '--monthly-spend-limit-usd',
      '10',
    );
    expect(earlier).toMatchObject({ allowed_models: ['sim-swift'], monthly_spend_limit_usd: 10 });
    for (const part of [secret, secret.slice(0, 10), secret.slice(-10)])
      expect(errors + audited.out).not.toContain(part);
  });

  it('revokes a key, which the service then refuses, and revokes it only once', async () => {
    const caller = await createCaller();
    expect((await caller.get('/api/v1/usage')).status).toBe(200);
    const revoked = await adminJson('keys', 'revoke', caller.keyId);
    expect(revoked).toMatchObject({ id: caller.keyId, revoked_at: expect.any(String) });
    expect((await caller.get('/api/v1/usage')).status).toBe(401);
    expect(await adminJson('keys', 'revoke', caller.keyId)).toEqual(revoked);
    expect((await entriesOf(caller.keyId)).filter(({ action }) => action === 'key.revoked')).toHaveLength(1);
  });

  it('rotates a key: the new one is shown once, the old one goes on for as long as was said', async () => {
    const caller = await createCaller();
    const { api_key: secret, ...rotated } = await adminJson('keys', 'rotate', caller.keyId, '--overlap-seconds', '600');
    expect([(await new Api(secret).get('/api/v1/usage')).status, (await caller.get('/api/v1/usage')).status]).toEqual([
      200, 200,
    ]);
    const { keys } = await adminJson('keys', 'list', caller.userId);
    expect(keys.map(({ id }: Json) => id)).toEqual([rotated.id, caller.keyId]);
    expect(keys[1].expires_at).not.toBeNull();
    expect((await entriesOf(caller.keyId))[0]).toMatchObject({
      action: 'key.rotated',
      changes: { successor: { to: rotated.id } },
    });
  });

  it.each<[words: string, args: string[], end: object]>([
    ['a user who does not exist', ['issue', NOBODY, '--name', 'ci'], NO_USER],
    [
      'an unknown scope',
      ['issue', NOBODY, '--name', 'ci', '--scopes', 'all'],
      refusal(
        'scopes[0] must be one of compare, evals:read, usage:read, models:read, shares, experiments, experiments:read.',
      ),
    ],
    [
      'a time without a time zone',
      ['issue', NOBODY, '--name', 'ci', '--expires-at', '2040-01-01T00:00:00'],
      refusal('expires_at must end in a time zone: Z for UTC, or an offset such as +02:00.'),
    ],
    [
      'a time that has passed',
      ['issue', NOBODY, '--name', 'ci', '--expires-at', '2020-01-01T00:00:00Z'],
      refusal('expires_at must lie in the future.'),
    ],
    ['no name', ['issue', NOBODY], usage("mcs: required option '--name <name>' not specified")],
    ['keys of a user who does not exist', ['list', NOBODY], NO_USER],
    ['a key that does not exist', ['revoke', 'key_1'], refusal('There is no key with this id.', 'not_found')],
    [
      'an overlap that is too long',
      ['rotate', 'key_1', '--overlap-seconds', '999999999'],
      refusal('overlap_seconds must be a whole number from 0 to 604,800.'),
    ],
    [
      'two keys',
      ['revoke', 'key_1', 'key_2'],
      usage("mcs: too many arguments for 'revoke'. Expected 1 argument but got 2: key_1, key_2."),
    ],
    ['no key', ['rotate'], usage("mcs: missing required argument 'key'")],
  ])('refuses %s in one sentence', async (_, args, end) => {
    expect(await admin(['keys', ...args])).toEqual(end);
  });

  it('refuses to rotate a revoked key', async () => {
    const { keyId } = await createCaller();
    await operator().delete(`/api/v1/admin/keys/${keyId}`);
    expect(await admin(['keys', 'rotate', keyId])).toEqual(
      refusal('This key is revoked or has expired; issue a new one.', 'conflict'),
    );
  });
});

describe('mcs admin usage', () => {
  it("shows a user's month as the user sees it, with all digits of the charge", async () => {
    const caller = await createCaller({ freeQuota: 5, hasPaymentMethod: true });
    for (const amount of ['1234567.12345678', '0.000000000001'])
      await adminJson(
        'users',
        'adjust',
        caller.userId,
        '--amount-usd',
        amount,
        '--reason',
        'test',
        '--month',
        '2026-01',
      );
    const { out } = await admin(['usage', caller.userId, '--month', '2026-01', '--json']);
    expect(out.trimEnd()).toBe((await caller.get('/api/v1/usage?month=2026-01')).text);
    const inWords = await admin(['usage', caller.userId, '--month', '2026-01']);
    expect(inWords.out).toMatch(/^total_charge_usd\t1234567\.123456780001$/m);
    expect(inWords.out).toMatch(/^pricing\.margin\t0\.4$/m);
    expect(await adminJson('usage', caller.userId)).toMatchObject({
      month: new Date().toISOString().slice(0, 7),
      eval_count: 0,
      free_evals_remaining: 5,
    });
  });

  it.each<[words: string, args: string[], end: object]>([
    [
      'a month that is none',
      [NOBODY, '--month', '2026-13'],
      refusal('month must be a real month written YYYY-MM, such as 2026-11.'),
    ],
    ['a user who does not exist', [NOBODY], NO_USER],
    ['no user', [], usage("mcs: missing required argument 'user'")],
  ])('refuses %s in one sentence', async (_, args, end) => {
    expect(await admin(['usage', ...args])).toEqual(end);
  });
});

describe('mcs admin audit', () => {
  it('lists the entries of GET /admin/audit, over several pages', async () => {
    const { userId } = await createCaller();
    for (let quota = 1; quota <= 101; quota += 1)
      await operator().patch(`/api/v1/admin/users/${userId}`, { free_quota: quota });
    const { entries } = await adminJson('audit', '--target', userId, '--number', '150');
    expect(entries).toHaveLength(102);
    expect(entries.slice(0, 100)).toEqual(await entriesOf(userId));
    const inWords = await admin(['audit', '--target', userId, '-n', '1']);
    expect(inWords.out).toMatch(
      new RegExp(
        `^at\\taction\\ttarget_id\\trequest_id\\taddress\\tactor\\tchanges\\n\\S+\\tuser\\.updated\\t${userId}\\t.*\\tfree_quota: 100 → 101\\n$`,
      ),
    );
  });

  it.each<[words: string, args: string[], end: object]>([
    [
      'a target that is too long',
      ['--target', 'x'.repeat(101)],
      refusal('target must not be longer than 100 characters.'),
    ],
    [
      'a word too many',
      ['today'],
      usage("mcs: too many arguments for 'audit'. Expected 0 arguments but got 1: today."),
    ],
  ])('refuses %s in one sentence', async (_, args, end) => {
    expect(await admin(['audit', ...args])).toEqual(end);
  });
});

describe('mcs admin', () => {
  it('shows its help without a key, and exits with 2 for unknown words', async () => {
    const keyless = { MCS_ADMIN_KEY: '', MCS_URL: '' };
    expect(await admin(['--help'], keyless)).toEqual({
      code: 0,
      out: expect.stringMatching(/^Usage: mcs admin /),
      errors: '',
    });
    expect(await admin(['keys', 'issue', '--help'], keyless)).toEqual({
      code: 0,
      out: expect.stringContaining('--expires-at <time>'),
      errors: '',
    });
    expect(await admin([], keyless)).toEqual({ code: 2, out: '', errors: expect.stringMatching(/^Usage: mcs admin /) });
    expect(await admin(['user'], keyless)).toEqual(usage("mcs: unknown command 'user'\n(Did you mean users?)"));
  });

  it('refuses without an admin key, and with the key of a user', async () => {
    const caller = await createCaller();
    expect(await admin(['users', 'list'], { MCS_ADMIN_KEY: '' })).toEqual({
      code: 4,
      out: '',
      errors: `mcs: There is no admin key for ${worker().serviceUrl}: set MCS_ADMIN_KEY or run mcs admin login.\n`,
    });
    expect(await admin(['users', 'list'], { MCS_ADMIN_KEY: caller.key ?? '' })).toEqual({
      code: 4,
      out: '',
      errors: expect.stringMatching(/^mcs: .*\(forbidden\)\n/),
    });
    expect(await admin(['users', 'list'], { MCS_URL: 'http://127.0.0.1:1' })).toEqual({
      code: 1,
      out: '',
      errors: 'mcs: No connection to http://127.0.0.1:1. (connection_failed)\n',
    });
  });

  it('logs in: tries the admin key and keeps it, for its address only', async () => {
    const files = new Map<string, string>();
    const machine = {
      configFolder: '/home/me/mcs',
      writePrivateFile: (path: string, text: string) => void files.set(path, text),
      readPrivateFile: (path: string) =>
        files.has(path) ? { text: files.get(path) ?? '', isPrivate: true } : undefined,
    };
    const keyless = { MCS_ADMIN_KEY: '' };
    expect(await admin(['login'], keyless, { ...machine, readInput: async () => 'wrong' })).toMatchObject({ code: 4 });
    expect(files.size).toBe(0);
    expect(
      await admin(['login'], keyless, { ...machine, readInput: async () => `${TEST_SECRETS.ADMIN_API_KEY}\n` }),
    ).toEqual({
      code: 0,
      out: '',
      errors: `Logged in to ${worker().serviceUrl} with the admin key; stored in /home/me/mcs/admin.json.\n`,
    });
    expect(await admin(['users', 'list', '-n', '1'], keyless, machine)).toMatchObject({ code: 0 });
    expect(await admin(['users', 'list', '-n', '1', '--url', 'http://127.0.0.1:1'], keyless, machine)).toMatchObject({
      code: 4,
    });
  });
});

describe('npm run admin', () => {
  const port = () => new URL(worker().serviceUrl).port;
  const local = () => ({ PORT: port(), ADMIN_API_KEY: TEST_SECRETS.ADMIN_API_KEY });

  it('runs mcs admin against the service of this machine, by its settings', async () => {
    expect(await runCommand('admin', local(), ['users', 'list', '-n', '1'])).toMatchObject({
      status: 0,
      output: expect.stringMatching(/^id\t.*\nuser_/),
    });
    expect(await runCommand('admin', { ...local(), HOST: '0.0.0.0' }, ['users', 'list', '-n', '0'])).toMatchObject({
      status: 0,
    });
    expect(await runCommand('admin', local(), ['users', 'show', NOBODY])).toMatchObject({
      status: 2,
      output: expect.stringMatching(/^mcs: There is no user with this id\. \(not_found\)/),
    });
  });

  it('finds the key of a machine without configuration, and sends it to no other address', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, '.local'));
    writeFileSync(join(folder, '.local/secrets.json'), JSON.stringify(TEST_SECRETS));
    const command = (variables: Record<string, string>) =>
      runCommand('admin', { ADMIN_API_KEY: '', API_KEY_PEPPER: '', ...variables }, ['users', 'list', '-n', '0'], {
        cwd: folder,
      });
    expect(await command({ PORT: port() })).toMatchObject({ status: 0 });
    expect(await command({ PORT: port(), MCS_URL: 'http://127.0.0.1:1' })).toEqual({
      status: 4,
      output: 'mcs: There is no admin key for http://127.0.0.1:1: set MCS_ADMIN_KEY or run mcs admin login.',
    });
    expect(await command({ PORT: port(), NODE_ENV: 'production' })).toMatchObject({ status: 4 });
  });

  it('says that a result could not be written, because a new key would be lost with it', async () => {
    const { userId } = await createCaller();
    const full = openSync('/dev/full', 'w');
    expect(
      await runCommand('admin', local(), ['keys', 'issue', userId, '--name', 'lost'], { output: full }),
    ).toMatchObject({ status: 1, output: expect.stringContaining('mcs: The result could not be written (ENOSPC).') });
    closeSync(full);
  });
});
