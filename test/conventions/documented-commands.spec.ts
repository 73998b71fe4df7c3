import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { Json } from '../support/api';
import { builtPackage } from '../support/client-package';
import { createCaller, type Caller } from '../support/factories';
import { assistant } from '../support/mcp';
import { TEST_SECRETS } from '../support/service';
import { temporaryFolder } from '../support/temporary-folder';
import { codeIn, read, sectionOf } from './docs.markdown';

const readme = read('README.md');
const { description } = (JSON.parse(read('docs/openapi.json')) as { info: { description: string } }).info;
const describeWithCurl = spawnSync('curl', ['--version']).status === 0 ? describe : describe.skip;

/** The text of the blocks of a section, without their fences. */
const blocksOf = (heading: string, text = readme): string[] =>
  [...sectionOf(text, heading).matchAll(/^```\w+\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);

/** The output of a shell for documented commands, at the service of this worker. */
async function shell(commands: string, caller: Caller, folders: string[] = []): Promise<string> {
  const env = {
    PATH: [...folders, process.env['PATH']].join(delimiter),
    KEY: caller.key,
    URL: caller.url,
    ADMIN_API_KEY: TEST_SECRETS.ADMIN_API_KEY,
    HOME: temporaryFolder(),
  };
  const { stdout } = await promisify(execFile)('sh', ['-c', commands.replaceAll('http://127.0.0.1:3000', caller.url)], {
    env,
  });
  return stdout;
}

/** The constant part of every answer, with texts as far as the README shows them. */
function steady({ prompt, models, results, meta }: Json, shown: Json = { results }): Json {
  return {
    prompt,
    models,
    meta: { total_cost_usd: meta.total_cost_usd, cheapest_model: meta.cheapest_model },
    results: results.map(({ output, ...result }: Json, i: number) => ({
      ...result,
      latency_ms: 0,
      output: output.slice(0, shown.results[i].output.replace(/ …$/, '').length),
    })),
  };
}

/** Runs the two commands that create a user and issue a key. */
async function expectUserAndKey(commands: string, caller: Caller): Promise<void> {
  const [createUser = '', issueKey = ''] = commands.split('\n').filter((line) => line.startsWith('curl '));
  const user = JSON.parse(await shell(createUser.replace('ada@', `${caller.keyId}@`), caller));
  const issued = JSON.parse(await shell(issueKey.replace('USER_ID', user.id), caller));
  expect([user.email, issued.api_key]).toEqual([`${caller.keyId}@example.com`, expect.stringMatching(/^mcs_/)]);
}

describeWithCurl('The README (needs curl)', () => {
  it('shows what its first call is answered', async () => {
    const [call = '', answer = ''] = blocksOf('## A first call');
    const shown = JSON.parse(answer);
    expect(steady(JSON.parse(await shell(call, await createCaller())), shown)).toEqual(steady(shown, shown));
  });

  it('connects assistants by the settings that it shows', async () => {
    const caller = await createCaller();
    const rows = sectionOf(readme, '## For assistants').match(/^\| .*http.*$/gm) ?? [];
    expect(rows).toHaveLength(3);
    for (const row of rows) {
      const [, path = '', scheme = ''] = /:3000(\/\w+).*Authorization"?: "?(\w+) \$/.exec(row) ?? [];
      const requestInit = { headers: { Authorization: `${scheme} ${caller.key}` } };
      const transport = new StreamableHTTPClientTransport(new URL(path, caller.url), { requestInit });
      expect((await (await assistant(caller, 'legacy', transport)).client.listTools()).tools).toHaveLength(9);
      for (const code of codeIn(row)) if (code.startsWith('{')) JSON.parse(code);
      expect(codeIn(row).at(-1)).toMatch(/ -- mcs mcp$|"command": "mcs", "args": \["mcp"\]/);
    }
  });
});

describeWithCurl('The page about endpoints (needs curl)', () => {
  it('has calls that create a user and issue a key', async () => {
    const [calls = ''] = blocksOf('## Users and keys', read('docs/api.md'));
    await expectUserAndKey(calls, await createCaller());
  });
});

describeWithCurl('The description of the API document (needs curl)', () => {
  it('has calls that create a user, issue a key, compare, and watch a compare', async () => {
    const caller = await createCaller();
    const [keys = '', first = '', watch = ''] = ['## Get a key', '## First call', '## Watch it'].map(
      (heading) => blocksOf(heading, description)[0] ?? '',
    );
    await expectUserAndKey(keys, caller);
    expect(JSON.parse(await shell(first, caller)).models).toEqual(['sim-swift', 'sim-quill']);
    const named = [...sectionOf(description, '## Watch it').matchAll(/^\| `([\w-]+)`/gm)].map(([, event]) => event);
    expect(named).toEqual(['eval-started', 'delta', 'result', 'eval', 'error']);
    const seen = new Set([...(await shell(watch, caller)).matchAll(/^event: (.+)$/gm)].map(([, event]) => event));
    expect([...seen].sort()).toEqual(named.slice(0, 4).sort());
  });
});

describeWithCurl('The page about evaluation (needs curl)', () => {
  it('shows what was sent to each model, and the warnings', async () => {
    const text = read('docs/evaluation.md');
    const [helpers = ''] = /(?<=^```sh\n)[\s\S]*?(?=^```$)/m.exec(text) ?? [];
    const [call = '', answer = ''] = blocksOf('## Asked the same thing?', text);
    expect(JSON.parse(await shell(helpers + call, await createCaller())).results).toMatchObject(JSON.parse(answer));
  });

  it('has calls that succeed, one after the other', async () => {
    const calls = [...read('docs/evaluation.md').matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
      .map(([, text = '']) => text)
      .join('');
    const printed = await shell(calls, await createCaller());
    for (const member of [
      '"verdicts"',
      '"checks"',
      '"statistics"',
      '"consensus"',
      '"request_changed"',
      '"monthly_cost_usd"',
      '"run_id"',
      '"share_id"',
      '"blind_share"',
    ])
      expect(printed).toContain(member);
    expect(printed).not.toContain('{"error"');
  });
});

describe('The README of the client', () => {
  it('shows what its command line prints', async () => {
    const [cli, folder] = [join(await builtPackage(), 'cli.js'), temporaryFolder()];
    chmodSync(cli, 0o755);
    symlinkSync(cli, join(folder, 'mcs'));
    const [block = ''] = blocksOf('### In a pipe', read('src/clients/client/package/README.md'));
    const [, command = '', printed = ''] = /^\$ (mcs compare .+)\n([\s\S]+)$/m.exec(block) ?? [];
    const caller = await createCaller();
    expect(await shell(`export MCS_URL=http://127.0.0.1:3000 MCS_API_KEY=$KEY; ${command}`, caller, [folder])).toBe(
      printed,
    );
  });
});
