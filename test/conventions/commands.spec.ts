import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import catalog from '../../src/modules/models/catalog.json';
import type { Json } from '../support/api';
import { runCommand } from '../support/command';
import { startModelsApi } from '../support/models-api';
import { PROGRAM_VARIABLES, TEST_SECRETS } from '../support/service';
import { temporaryFolder } from '../support/temporary-folder';
import { worker } from '../support/worker';

const ROOT = join(__dirname, '../..');

/** Runs a built command to its end, in that folder. */
function run(
  command: string,
  { cwd = ROOT, args = [], variables = {} }: { cwd?: string; args?: string[]; variables?: Record<string, string> } = {},
) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(ROOT, `dist/src/commands/${command}.js`), ...args],
    {
      cwd,
      encoding: 'utf8',
      env: { ...PROGRAM_VARIABLES, NODE_ENV: 'test', ...variables },
      maxBuffer: 1e8,
    },
  );
  return { status, stdout, stderr };
}

describe('Every command', () => {
  it('checks the version of Node before it loads anything, so that an old version is reported in one sentence', () => {
    for (const file of readdirSync(join(ROOT, 'src/commands')).filter((name) => name.endsWith('.ts'))) {
      const source = readFileSync(join(ROOT, 'src/commands', file), 'utf8');
      if (/^(void )?run(OnDatabase|Command)\(/m.test(source))
        expect([file, source.split('\n', 1)[0]]).toEqual([file, "import '../bootstrap/check-node-version';"]);
    }
  });
});

describe('Every command but admin, which mcs reads,', () => {
  const commands = readdirSync(join(ROOT, 'src/commands'))
    .filter(
      (name) =>
        name.endsWith('.ts') &&
        /^void run(OnDatabase|Command)\(/m.test(readFileSync(join(ROOT, 'src/commands', name), 'utf8')),
    )
    .map((name) => name.replace(/\.ts$/, ''));

  it.each(commands)('ends with 2 and its usage for a word that it does not take: %s', (command) => {
    for (const args of [['--nope'], ['one', 'two']])
      expect(run(command, { args })).toEqual({
        status: 2,
        stdout: '',
        stderr: expect.stringMatching(/^These words are not understood\. Usage: [^\n]+\n$/),
      });
  });

  it('is nine', () => {
    expect(commands).toHaveLength(9);
  });
});

describe('npm run openapi:generate', () => {
  it('prints the committed API document exactly, without a database and without settings', () => {
    const { status, stdout } = run('openapi');
    expect(status).toBe(0);
    expect(stdout).toBe(readFileSync(join(ROOT, 'docs/openapi.json'), 'utf8'));
  });
});

describe('npm run config:check', () => {
  const production = {
    NODE_ENV: 'production',
    SIMULATOR: 'on',
    DATABASE_URL: 'postgresql://mcs:pa55word@nowhere.invalid/mcs?sslmode=disable',
    ...TEST_SECRETS,
  };

  it('prints every setting with its source, without connecting, and shows no secret', () => {
    const { status, stdout } = run('config-check', { variables: { ...production, PORT: '4000' } });
    expect(status).toBe(0);
    expect(stdout).toMatch(/^PORT {2,}environment {2}4000$/m);
    expect(stdout).toMatch(/^HOST {2,}default {6}127\.0\.0\.1$/m);
    expect(stdout).toMatch(/^DATABASE_URL {2,}environment {2}set$/m);
    expect(stdout).toMatch(/\n\nThe service can start with these settings\.\n$/);
    expect(stdout).not.toMatch(new RegExp(`pa55word|${Object.values(TEST_SECRETS).join('|')}`));
  });

  it('ends with 1 and everything that is wrong, and names variables that look like settings', () => {
    const { status, stdout } = run('config-check', {
      variables: {
        ...production,
        PORT: 'x',
        LOG_LEVEL: 'chatty',
        REDIS_URL_FILE: '/nowhere',
        REDIS_URI: 'redis://redis',
      },
    });
    expect(status).toBe(1);
    expect(stdout).toContain('\nREDIS_URI is not read. Is REDIS_URL meant?\n');
    expect(stdout).toMatch(
      /\n\nThe service cannot start with these settings:\n {2}- REDIS_URL_FILE: names a file that is not there\n {2}- PORT: must be a number\n {2}- LOG_LEVEL: must be one of .*\n$/,
    );
  });

  it('names what is wrong with the models, as the start does', () => {
    const { status, stdout } = run('config-check', {
      variables: { ...production, FREE_MODELS: 'sim-swift,nothing-1' },
    });
    expect(status).toBe(1);
    expect(stdout).toMatch(/\n {2}- FREE_MODELS: the catalog has no model with the id nothing-1\n$/);
    expect(run('config-check', { variables: { ...production, MODEL_CATALOG_FILE: '/dev/zero' } }).stdout).toMatch(
      /\n {2}- MODEL_CATALOG_FILE: names something that is not a file\n$/,
    );
  });

  it('prints the same as JSON', () => {
    const { status, stdout } = run('config-check', { args: ['--json'], variables: { ...production, PORT: 'x' } });
    expect(status).toBe(1);
    const report = JSON.parse(stdout);
    expect(Object.keys(report)).toEqual(['settings', 'problems', 'warnings', 'margin', 'unknown']);
    expect(report.problems).toEqual(['PORT: must be a number']);
    expect(report.settings).toContainEqual({ name: 'API_KEY_PEPPER', source: 'environment', value: 'set' });
  });

  it('prints the margin in percent, and implausible settings', () => {
    const { status, stdout } = run('config-check', {
      variables: { ...production, BILLING_MARGIN: '0.29', EVAL_TIMEOUT_MS: '59000', FREE_QUOTA: '5' },
    });
    expect(status).toBe(0);
    expect(stdout).toContain(
      '\n\nThe margin is 29 percent on top of what vendors charge.\n\nFREE_QUOTA is not read since version 0.2.0; it is FREE_EVALS_PER_MONTH now.\n\nEVAL_TIMEOUT_MS is below MODEL_TIMEOUT_MS, so no model gets the whole MODEL_TIMEOUT_MS.\n',
    );
    expect(run('config-check', { variables: { ...production, BILLING_MARGIN: '40' } }).stdout).toContain(
      '  - BILLING_MARGIN: must be at most 5, which charges six times the cost; 0.4 means 40 percent\n',
    );
  });

  it('names the lines of .env that say nothing by their numbers', () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, '.env'), '# ours\nPORT=4000\nsk-secret-of-ours\n');
    const { status, stdout } = run('config-check', { cwd, variables: { ...production, NODE_ENV: 'development' } });
    expect(status).toBe(0);
    expect(stdout).toContain('\n\n.env: line 3 is not read; a setting is written NAME=value.\n');
    expect(stdout).not.toContain('sk-secret');
  });
});

describe('npm run catalog:check', () => {
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  /** An entry of the shipped catalog, under another id and changed. */
  const entry = (like: string, id: string, change: object = {}) => ({
    ...catalog.find((model) => model.id === like),
    id,
    deprecation: undefined,
    reasoning: undefined,
    ...change,
  });
  const claude = {
    lifecycle: 'active',
    max_tokens: 128_000,
    max_input_tokens: 1_000_000,
    capabilities: { effort: { supported: true, low: { supported: true } } },
  };
  const flat = { prices: [{ from: '2026-01-01', input: '2', output: '10' }] };
  const file = join(temporaryFolder(), 'models.json');
  const write = (...entries: object[]) => writeFileSync(file, JSON.stringify(entries));
  const check = async (variables: Record<string, string>, ...args: string[]) => {
    const { status, output } = await runCommand('catalog-check', { MODEL_CATALOG_FILE: file, ...variables }, args);
    return { status, lines: output.split('\n') };
  };
  const rowOf = (lines: string[], model: string) =>
    lines.filter((line) => line.startsWith(`${model} `)).map((line) => line.replaceAll(/ {2,}/g, ' '));

  it('prints one finding of each kind and ends with 2, because one vendor does not answer', async () => {
    write(
      entry('gpt-6.2-sol', 'mine-gone', { vendorModel: 'gone' }),
      entry('gpt-6.2-sol', 'mine-ending', { vendorModel: 'ending' }),
      entry('claude-opus-5-5', 'mine-retired', { vendorModel: 'claude-retired' }),
      entry('claude-opus-5-5', 'mine-claude', {
        vendorModel: 'claude-mine',
        contextWindow: 1_000_000,
        maxOutputTokens: 64_000,
        reasoning: { efforts: ['high'], default: null, mandatory: true },
      }),
      entry('openrouter/kimi-k3', 'mine-kimi', { vendorModel: 'moonshotai/mine', ...flat }),
      entry('gpt-6.2-sol', 'mine-step', { vendorModel: 'step', ...flat }),
    );
    const url = await startModelsApi({
      '/openai/models': { data: [{ id: 'ending', shutdown_date: inDays(20) }, { id: 'step' }] },
      '/anthropic/v1/models': {
        data: [
          { ...claude, id: 'claude-retired', lifecycle: 'retired', retires_at: '2026-11-01T00:00:00Z' },
          { ...claude, id: 'claude-mine' },
        ],
        has_more: false,
      },
      '/openrouter/models': {
        data: [{ id: 'moonshotai/mine', pricing: { prompt: '0.0000021', completion: '0.00001' } }],
      },
      '/prices.json': [
        {
          id: 'openai',
          models: [
            {
              id: 'step',
              prices: [
                { prices: { input_mtok: 2, output_mtok: 10 } },
                {
                  constraint: { start_date: inDays(40) },
                  prices: { input_mtok: 4, output_mtok: { base: 20, tiers: [{ start: 200_000, price: 30 }] } },
                },
              ],
            },
          ],
        },
      ],
    });
    const vendors = ['openai', 'anthropic', 'openrouter', 'groq'].flatMap((vendor) => [
      [`${vendor.toUpperCase()}_API_KEY`, 'sk-0123456789'],
      [`${vendor.toUpperCase()}_BASE_URL`, `${url}/${vendor}`],
    ]);
    const { status, lines } = await check(
      Object.fromEntries(vendors) as Record<string, string>,
      '--prices',
      `${url}/prices.json`,
    );
    expect([status, lines[0]]).toEqual([2, expect.stringMatching(/^MODEL +SOURCE +FINDING$/)]);
    expect(rowOf(lines, '-')).toEqual(['- groq unasked answers 404']);
    expect(rowOf(lines, 'mine-gone')).toEqual([
      'mine-gone openai missing is not in the list of its vendor',
      `mine-gone ${url}/prices.json unknown is not there`,
    ]);
    expect(rowOf(lines, 'mine-ending')[0]).toBe(`mine-ending openai end ends on ${inDays(20)}, here never`);
    expect(rowOf(lines, 'mine-retired')).toEqual(['mine-retired anthropic retired is retired since 2026-11-01']);
    expect(rowOf(lines, 'mine-claude')).toEqual([
      'mine-claude anthropic limits output limit 128000, here 64000',
      'mine-claude anthropic efforts efforts low, here high',
    ]);
    expect(rowOf(lines, 'mine-kimi')).toEqual(['mine-kimi openrouter price input 2.1, here 2']);
    expect(rowOf(lines, 'mine-step')).toEqual([
      'mine-step openai equal states no price',
      ...['input 4, here 2', 'output 20, here 10', 'long context above 200000, here none'].map(
        (text) => `mine-step ${url}/prices.json price ${text} (from ${inDays(40)})`,
      ),
    ]);
    expect(lines.at(-1)).toMatch(
      /^\d+ comparisons: \d+ without a finding, \d+ missing, 1 retired, \d+ end, 1 limits, 1 efforts, 4 price, 1 unasked\.$/,
    );
  });

  it('ends with 0 if nothing differs, with 1 if something does, and with 2 if there is nothing to compare with', async () => {
    // Without the ends that come nearer every day.
    write(...catalog.filter((model) => 'deprecation' in model).map((model) => ({ ...model, deprecation: undefined })));
    const table = join(temporaryFolder(), 'prices.json');
    const price = (input: number) =>
      writeFileSync(
        table,
        JSON.stringify({ google: { models: { a: { id: 'gemini-3.1-pro-preview', cost: { input, output: 12 } } } } }),
      );
    price(2);
    expect(await check({}, '--prices', table)).toMatchObject({
      status: 0,
      lines: expect.arrayContaining([expect.stringMatching(/^gemini-3\.1-pro-preview +\S+ +equal$/)]),
    });
    price(3);
    const { status, lines } = await check({}, '--prices', table);
    expect([status, rowOf(lines, 'gemini-3.1-pro-preview')]).toEqual([
      1,
      [`gemini-3.1-pro-preview ${table} price input 3, here 2`],
    ]);
    const {
      status: none,
      lines: [, ...rest],
    } = await check({});
    expect([none, rest.at(-1)]).toEqual([
      2,
      'Nothing was compared: no source answered. Set the key of a vendor, or give --prices.',
    ]);
  });

  it('names a table that cannot be read, and shows no key', async () => {
    write();
    const url = await startModelsApi({
      '/prices.json': (_: unknown, response: ServerResponse) =>
        void response.writeHead(200).end(Buffer.alloc(17 << 20, ' ')),
    });
    const big = join(temporaryFolder(), 'big.json');
    writeFileSync(big, Buffer.alloc(17 << 20, ' '));
    const { status, lines } = await check(
      { OPENAI_API_KEY: 'sk-0123456789', OPENAI_BASE_URL: 'http://127.0.0.1:9' },
      '--prices',
      `${url}/prices.json`,
      '--prices',
      big,
      '--prices',
      '/dev/zero',
      '--prices',
      join(ROOT, 'package.json'),
    );
    expect(status).toBe(2);
    expect(rowOf(lines, '-').map((line) => line.replace(/^- \S+ unasked /, ''))).toEqual(
      expect.arrayContaining([
        'is not reachable',
        'answers more than 16384 kB',
        'names a file of more than 16384 kB',
        'names something that is not a file',
        'is no price table of genai-prices or models.dev with models of a known vendor',
      ]),
    );
    expect(lines.join('\n')).not.toContain('sk-0123456789');
  });
});

describe('npm run catalog:propose', () => {
  it('prints an entry from the Models API and a price table, which is not served before its mark is removed', async () => {
    const url = await startModelsApi({
      '/anthropic/v1/models': {
        data: [
          {
            id: 'claude-9',
            display_name: 'Claude 9',
            max_tokens: 100,
            max_input_tokens: 1000,
            lifecycle: 'active',
            capabilities: null,
          },
        ],
        has_more: false,
      },
      '/prices.json': [{ id: 'anthropic', models: [{ id: 'claude-9', prices: { input_mtok: 5, output_mtok: 25 } }] }],
    });
    const { status, output } = await runCommand(
      'catalog-propose',
      { ANTHROPIC_API_KEY: 'sk-0123456789', ANTHROPIC_BASE_URL: `${url}/anthropic` },
      ['anthropic/claude-9', '--prices', `${url}/prices.json`],
    );
    expect([status, JSON.parse(output)]).toEqual([
      0,
      expect.objectContaining({
        id: 'claude-9',
        name: 'Claude 9',
        contextWindow: 1000,
        maxOutputTokens: 100,
        unverified: true,
        prices: [expect.objectContaining({ input: '5', output: '25' })],
      }),
    ]);
    expect(await runCommand('catalog-propose', {}, ['anthropic/claude-9'])).toEqual({
      status: 1,
      output: 'No source knows claude-9 of anthropic; set the key of the vendor, or give --prices.',
    });
    expect(await runCommand('catalog-propose', {})).toMatchObject({
      status: 1,
      output: expect.stringMatching(/^Name a model\. Usage: /),
    });
  });
});

describe('npm run evals:restore', () => {
  it.each(['/nope', ROOT])('says that there is no file to read before it connects anywhere: %s', (file) => {
    expect(
      run('evals-restore', {
        args: [file],
        variables: { DATABASE_URL: 'postgresql://mcs@nowhere.invalid/mcs', ...TEST_SECRETS },
      }),
    ).toEqual({
      status: 1,
      stdout: '',
      stderr: `${file} is not a file that this user may read; nothing was done.\n`,
    });
  });
});

describe('npm run db:migration:create', () => {
  const variables = { DATABASE_URL: worker().databaseUrl, ...TEST_SECRETS };

  /** A folder in which migrations are written, with that snapshot of the last one. */
  function project(change: (snapshot: Json) => void): { folder: string; written: () => string[] } {
    const folder = temporaryFolder();
    const migrations = join(folder, 'migrations');
    mkdirSync(migrations);
    const snapshot: Json = JSON.parse(readFileSync(join(ROOT, 'migrations/.snapshot.json'), 'utf8'));
    change(snapshot);
    writeFileSync(join(migrations, '.snapshot.json'), JSON.stringify(snapshot));
    return {
      folder,
      written: () =>
        readdirSync(migrations)
          .filter((name) => name.endsWith('.ts'))
          .map((name) => join(migrations, name)),
    };
  }

  it('writes nothing while the entities and the snapshot agree', () => {
    const { folder, written } = project(() => undefined);
    expect(run('migration-create', { cwd: folder, args: ['nothing'], variables })).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('The entities and the migrations agree.'),
    });
    expect(written()).toEqual([]);
  });

  it('writes the changes of the entities as a migration of the given name, and a new snapshot', () => {
    const { folder, written } = project(({ tables }) => {
      const { columns } = tables.find(({ name }: Json) => name === 'users');
      delete columns['email'];
    });
    const { status, stderr } = run('migration-create', { cwd: folder, args: ['add_email'], variables });
    const [file = ''] = written();
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: expect.stringMatching(/^Written: Migration\d{14}_add_email\.ts\. Read it before you commit it\.$/m),
    });
    expect(file).toMatch(/Migration\d{14}_add_email\.ts$/);
    expect(readFileSync(file, 'utf8')).toMatch(/alter table "users" add "email"/);
    expect(run('migration-create', { cwd: folder, args: ['again'], variables }).stderr).toContain('agree');
  });
});
