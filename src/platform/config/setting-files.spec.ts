import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Config, examine } from './config';
import { environment } from './environment';
import { FILE_SETTINGS, readSettingFiles } from './setting-files';
import { TELEMETRY_SECRETS } from './telemetry';

const NEEDED = { DATABASE_URL: 'postgresql://mcs:mcs@127.0.0.1:5432/mcs', API_KEY_PEPPER: 'pepper-0123456789abcdef' };
const KEY = 'operator-key-0123456789';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mcs-files-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A file with that content. */
function file(content: string | Uint8Array): string {
  const path = join(folder, crypto.randomUUID());
  writeFileSync(path, content);
  return path;
}

describe('A setting in a file', () => {
  test.each([
    ['without a line end', KEY, KEY],
    ['with one line end', `${KEY}\n`, KEY],
    ['with the line end of Windows', `${KEY}\r\n`, KEY],
    ['with two line ends, of which one belongs to it', `${KEY}\n\n`, `${KEY}\n`],
    ['with blanks', ` ${KEY} `, ` ${KEY} `],
  ])('is read %s', (_, content, value) => {
    expect(
      Config.read({ ...NEEDED, ADMIN_API_KEY: KEY, API_KEY_PEPPER: undefined, API_KEY_PEPPER_FILE: file(content) })
        .API_KEY_PEPPER,
    ).toBe(value);
  });

  test('is validated like any other', () => {
    expect(examine({ ...NEEDED, ADMIN_API_KEY_FILE: file('short\n') }).problems).toEqual([
      'ADMIN_API_KEY: must have at least 16 characters',
    ]);
  });

  test.each(['\n\n', ' ', '\0', '\n# the key of the operator\n'])(
    'is refused if it is sent in a header and ends with %j, because nothing sent would ever match',
    (rest) => {
      expect(examine({ ...NEEDED, ADMIN_API_KEY_FILE: file(`${KEY}${rest}`) }).problems).toEqual([
        'ADMIN_API_KEY: must consist of ASCII letters, digits and signs, without blanks and line ends; callers could not send it otherwise',
      ]);
    },
  );

  test('is found behind a link, as Kubernetes mounts secrets', () => {
    const link = join(folder, 'link');
    symlinkSync(file(KEY), link);
    expect(Config.read({ ...NEEDED, ADMIN_API_KEY_FILE: link }).ADMIN_API_KEY).toBe(KEY);
  });

  test('can be any secret and any address that may contain one, and no other setting', () => {
    const secrets = Object.keys(environment.shape).filter(
      (name) =>
        /(?<!_PER)_(KEY|PEPPER|PEPPER_PREVIOUS|TOKEN|SECRET)$/.test(name) ||
        /^(DATABASE_URL|REDIS_URL|STRIPE_.*)$/.test(name),
    );
    expect([...FILE_SETTINGS].sort()).toEqual([...secrets, ...TELEMETRY_SECRETS].sort());
    const path = file('https://example.com/0123456789\n');
    const { variables, fromFile, problems } = readSettingFiles(
      Object.fromEntries(FILE_SETTINGS.map((name) => [`${name}_FILE`, path])),
    );
    expect(problems.size).toBe(0);
    expect([...fromFile].sort()).toEqual([...FILE_SETTINGS].sort());
    for (const name of FILE_SETTINGS)
      expect([variables[name], variables[`${name}_FILE`]]).toEqual(['https://example.com/0123456789', undefined]);
    expect(Config.read({ ...NEEDED, ADMIN_API_KEY: KEY, PORT_FILE: file('4000') }).PORT).toBe(3000);
  });
});

describe('A file that cannot be meant', () => {
  const refused: [name: string, path: () => string, sentence: string][] = [
    ['one that is not there', () => join(folder, 'nothing'), 'names a file that is not there'],
    ['one below a file', () => join(file(KEY), 'below'), 'names a file that is not there'],
    [
      'a folder',
      () => {
        const path = join(folder, 'sub');
        mkdirSync(path);
        return path;
      },
      'names something that is not a file',
    ],
    ['a device', () => '/dev/zero', 'names something that is not a file'],
    ['an empty one', () => file(''), 'names an empty file'],
    ['one with nothing but a line end', () => file('\n'), 'names an empty file'],
    ['one of more than 64 kB', () => file('x'.repeat(64 * 1024 + 1)), 'names a file of more than 64 kB'],
    ['one that is no text', () => file(Uint8Array.of(0xff, 0xfe)), 'names a file that is not text'],
    ['a path that is none', () => 'a\u0000b', 'names a file that cannot be read'],
  ];

  test.each(refused)('is refused by name: %s', (_, path, sentence) => {
    expect(examine({ ...NEEDED, ADMIN_API_KEY_FILE: path() }).problems).toEqual([`ADMIN_API_KEY_FILE: ${sentence}`]);
  });

  test('is accepted at exactly 64 kB', () => {
    expect(Config.read({ ...NEEDED, ADMIN_API_KEY_FILE: file('x'.repeat(64 * 1024)) }).ADMIN_API_KEY).toHaveLength(
      64 * 1024,
    );
  });

  test('is refused beside the variable itself, whatever the two say', () => {
    expect(examine({ ...NEEDED, ADMIN_API_KEY: KEY, ADMIN_API_KEY_FILE: file(KEY) }).problems).toEqual([
      'ADMIN_API_KEY_FILE: is set beside ADMIN_API_KEY; one of the two is enough',
    ]);
  });

  test('is reported together with every other problem, each once', () => {
    const { problems } = examine({
      NODE_ENV: 'production',
      ADMIN_API_KEY_FILE: join(folder, 'none'),
      DATABASE_URL_FILE: file('\n'),
      PORT: 'x',
      SIMULATOR: 'perhaps',
      TRUST_PROXY: 'true',
      STRIPE_SECRET_KEY: 'sk',
    });
    expect(problems).toEqual([
      'DATABASE_URL_FILE: names an empty file',
      'ADMIN_API_KEY_FILE: names a file that is not there',
      'PORT: must be a number',
      'API_KEY_PEPPER: is missing',
      'SIMULATOR: must be one of true, 1, on, yes, false, 0, off, no',
      'TRUST_PROXY: must not be true in production, where callers would choose their own address; set the number of proxies in front, or their networks',
      'STRIPE_WEBHOOK_SECRET: is missing, and needed with STRIPE_SECRET_KEY',
      'STRIPE_RETURN_URL: is missing, and needed with STRIPE_SECRET_KEY',
    ]);
  });
});
