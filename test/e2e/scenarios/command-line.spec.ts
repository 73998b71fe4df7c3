import { once } from 'node:events';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { dirname, join } from 'node:path';
import stringWidth from 'string-width';
import { endAfterTests } from '../../support/cleanup';
import { hasTerminals, startMcs, type Ended } from '../../support/client-package';
import { createCaller, eventually } from '../../support/factories';
import { mcs, variables } from '../../support/mcs';
import { temporaryFolder } from '../../support/temporary-folder';

const HOSTILE = '\u001b[2J\u001b]0;title\u0007\u009b31m a\u202eb';
const HARMFUL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

/** A server that refuses everything with that status. */
async function refusingServer(status: number, headers: Record<string, string>, code: string): Promise<string> {
  const server = createServer(
    (_request, response) =>
      void response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify({ error: { code, message: 'Told so.', request_id: 'req_1' } })),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  endAfterTests(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const TWO = ['-m', 'sim-swift,sim-sage'];

describe('mcs into a pipe', () => {
  it('compares: a table, the JSON of the API to the last digit, or its events', async () => {
    const caller = await createCaller();
    const table = await mcs(caller, ['compare', 'Say {input} in French.', '-i', '-', ...TWO], {
      input: 'good morning\n',
    });
    expect([table.code, table.errors]).toEqual([0, '']);
    expect(table.out.split('\n').map((line) => line.split('\t').slice(0, 2))).toEqual([
      ['model', 'status'],
      ['sim-swift', 'ok'],
      ['sim-sage', 'ok'],
      [''],
    ]);
    const whole = await mcs(caller, ['compare', 'again', ...TWO, '--json', '--details']);
    expect(whole.out.trimEnd()).toBe(
      (await caller.get(`/api/v1/evals/${JSON.parse(whole.out).eval_id}?include=details`)).text,
    );
    const events = (await mcs(caller, ['compare', 'again', ...TWO, '--jsonl'])).out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect([events[0].event, events.at(-1).event, new Set(events.map(({ event }) => event)).size]).toEqual([
      'eval-started',
      'eval',
      4,
    ]);
    expect((await caller.get('/api/v1/evals?limit=1')).body.evals[0]).toMatchObject({
      eval_id: events[0].data.eval_id,
      prompt: 'again',
    });
  });

  it('takes a prompt out of a pipe, and speaks of options and commands where it is refused', async () => {
    const caller = await createCaller();
    expect((await mcs(caller, ['compare', '-m', 'sim-swift'], { input: '[[sim:echo]] From a pipe\n' })).out).toContain(
      '\tFrom a pipe\n',
    );
    const { child, ended } = await startMcs(['compare', '[[sim:echo]] Given', '-m', 'sim-swift'], {
      environment: variables(caller),
      keepsInputOpen: true,
    });
    expect((await ended).out).toContain('\tGiven\n');
    child.stdin.end();
    const refused = [
      ['compare', 'x', ...TWO, '--max-cost', '0.0000001'],
      ['compare', 'x', ...TWO, '--samples', '20'],
      ['compare', 'x', '-m', 'nothing-1'],
      ['whoami'],
    ];
    for (const [i, words] of [
      'exceeds --max-cost;',
      'possible with --background.',
      'mcs models lists',
      'Run mcs login to store another key',
    ].entries()) {
      const { errors } = await mcs(
        caller,
        refused[i] ?? [],
        i < 3 ? {} : { environment: { MCS_API_KEY: 'mcs_wrong0123456789' } },
      );
      expect(errors).toEqual(expect.stringContaining(words));
      expect(errors).not.toMatch(/options\.|Prefer:|\/api\/v1|Bearer/);
    }
  });

  it('estimates, lists, shows, and reports, with and without --json', async () => {
    const caller = await createCaller();
    const file = join(temporaryFolder(), 'prompt.txt');
    writeFileSync(file, 'Bonjour [[sim:echo]]\n');
    const { eval_id: id } = JSON.parse(
      (await mcs(caller, ['compare', '-f', file, ...TWO, '--json', '--temperature', '0.5', '--max-tokens', '50'])).out,
    );
    const commands: [string[], string, string][] = [
      [['estimate', '-f', file, ...TWO], 'at most', ''],
      [['models', '--search', 'SAGE'], 'sim-sage', ''],
      [['evals', '-n', '5'], id, '/api/v1/evals?limit=5'],
      [['eval', id], 'Bonjour', `/api/v1/evals/${id}?include=details`],
      [['usage'], '99 of 100', '/api/v1/usage'],
      [['usage', '--by', 'model'], 'sim-swift', '/api/v1/usage/breakdown?by=model'],
      [['whoami'], caller.email, '/api/v1/key'],
    ];
    for (const [args, words, path] of commands) {
      const [plain, json] = [await mcs(caller, args), await mcs(caller, [...args, '--json'])];
      expect([args, plain.code, plain.out]).toEqual([args, 0, expect.stringContaining(words)]);
      expect([args, json.code, typeof JSON.parse(json.out)]).toEqual([args, 0, 'object']);
      if (path !== '' && args[0] !== 'evals') expect(json.out.trimEnd()).toBe((await caller.get(path)).text);
    }
    expect((await mcs(caller, ['models', '--search', 'SAGE'])).out).not.toContain('sim-swift');
    expect((await mcs(caller, ['usage', '--csv'])).out).toBe(
      (await caller.get('/api/v1/usage/statement', { headers: { accept: 'text/csv' } })).text,
    );
    expect((await mcs(caller, ['eval', id, '--diff', 'sim-swift,sim-sage'])).out).toBe(
      'sim-swift → sim-sage: 0 added, 0 removed\n\nBonjour\n',
    );
    expect((await mcs(caller, ['evals', '--search', 'bonJOUR', '--jsonl'])).out).toContain(id);
    expect((await mcs(caller, ['evals', '--search', 'nobody wrote this', '--jsonl'])).out).toBe('');
  });

  it('sends earlier turns, and shows them before the prompt without harm', async () => {
    const caller = await createCaller();
    const file = join(temporaryFolder(), 'turns.json');
    const turns = [
      { role: 'user', content: 'My name is Ada\u001b[2J.' },
      { role: 'assistant', content: 'Hello.' },
    ];
    writeFileSync(file, JSON.stringify({ messages: turns }));
    const asked = ['compare', 'Who am I?', '-m', 'sim-swift', '--history', file, '--json', '--details'];
    const { eval_id: id, details } = JSON.parse((await mcs(caller, asked)).out);
    expect(details.options.history).toEqual(turns);
    const { out } = await mcs(caller, ['eval', id]);
    expect(out).toMatch(/^user: My name is Ada[^\u001b]+\[2J\.\nassistant: Hello\.\nWho am I\?\n/);
    const again = JSON.parse((await mcs(caller, ['rerun', id, '--json'])).out);
    expect(again.details.options.history).toEqual(turns);
    const estimate = await mcs(caller, ['estimate', 'Who am I?', '-m', 'sim-swift', '--history', '-'], { input: '[]' });
    expect([estimate.code, estimate.errors]).toEqual([
      2,
      expect.stringMatching(/^mcs: --history must be an array of 1 to 100 turns/),
    ]);
  });

  it('sends system message, effort, room and schema, and has nothing stored on request', async () => {
    const caller = await createCaller();
    const file = join(temporaryFolder(), 'schema.json');
    writeFileSync(file, '{"type":"object"}');
    const conditions = [
      '--system',
      '-',
      '--effort',
      'high',
      '--reasoning-tokens',
      '2000',
      '--exact-model',
      '--schema',
      file,
    ];
    const { details, results } = JSON.parse(
      (
        await mcs(caller, ['compare', 'Hi', '-m', 'sim-sage@low,sim-sage', ...conditions, '--json', '--details'], {
          input: 'Be brief.\n',
        })
      ).out,
    );
    expect(details.options).toMatchObject({
      system: 'Be brief.',
      reasoning_effort: 'high',
      reasoning_tokens: 2000,
      exact_model: true,
      response_format: { type: 'json_schema', schema: { type: 'object' } },
    });
    expect(
      results.map(
        (result: { details: { applied: { reasoning_effort: string } } }) => result.details.applied.reasoning_effort,
      ),
    ).toEqual(['low', 'high']);
    const [head = '', line = ''] = (
      await mcs(caller, ['compare', 'Hi [[sim:say=Yes]]', '-m', 'sim-sage@low', '--no-store'])
    ).out
      .split('\n')
      .map((cells) => cells.split('\t').slice(-3).join(' '));
    expect([head, line]).toEqual(['effort reasoning_tokens output', 'low 200 Yes']);
    expect((await caller.get('/api/v1/evals')).body.evals).toHaveLength(1);
    expect((await mcs(caller, ['models', '--search', 'sage'])).out).toContain('\tnone low medium high\n');
  });

  it('says its version and how it is used', async () => {
    const { version } = JSON.parse(readFileSync(join(__dirname, '../../../package.json'), 'utf8')) as {
      version: string;
    };
    const caller = await createCaller();
    expect(await mcs(caller, ['--version'])).toEqual({ code: 0, out: `${version}\n`, errors: '' });
    const help = await mcs(caller, ['--help']);
    expect([help.code, help.errors]).toEqual([0, '']);
    for (const command of [
      'compare',
      'estimate',
      'models',
      'evals',
      'eval',
      'usage',
      'whoami',
      'agreement',
      'rerun',
      'drift',
      'projection',
      'runs',
      'run',
      'share',
      'shares',
      'unshare',
      'login',
    ])
      expect(help.out).toContain(`  ${command}`);
  });

  it('shows answers, prompts and models in a harmless way', async () => {
    const caller = await createCaller();
    const { out } = await mcs(caller, ['compare', `[[sim:echo]]${HOSTILE}`, '-m', 'sim-swift']);
    expect(out).toContain('␛[2J');
    const { eval_id: id } = (await caller.get('/api/v1/evals')).body.evals[0];
    for (const args of [
      ['evals'],
      ['eval', id],
      ['eval', id, '--json'],
      ['evals', '--jsonl'],
      ['eval', id, '--diff', `${HOSTILE},x`],
      ['eval', HOSTILE],
    ]) {
      const ended = await mcs(caller, args);
      expect([args, ended.out, ended.errors]).toEqual([
        args,
        expect.not.stringMatching(HARMFUL),
        expect.not.stringMatching(HARMFUL),
      ]);
    }
    expect(JSON.parse((await mcs(caller, ['eval', id, '--json'])).out).results[0].output).toBe(HOSTILE.trimStart());
  });
});

describe('mcs ends with', () => {
  it.each<[number, string, string[], Record<string, string>?]>([
    [1, 'no connection', ['models', '--url', 'http://127.0.0.1:1']],
    [2, 'no such command', ['conpare']],
    [2, 'no command', []],
    [2, 'no models', ['compare', 'x']],
    [2, 'no prompt', ['compare', ...TWO]],
    [2, 'two prompts', ['compare', 'x', '-f', 'y', ...TWO]],
    [2, 'no number', ['compare', 'x', ...TWO, '--max-cost', '1e3']],
    [2, 'no such kind', ['usage', '--by', 'week']],
    [2, 'an unknown model', ['compare', 'x', '-m', 'nobody']],
    [2, 'no such eval', ['eval', 'eval_none']],
    [2, 'no such file', ['compare', '-f', '/no/such/file', ...TWO]],
    [2, 'an address that is none', ['models', '--url', 'ftp://x']],
    [3, 'any failed', ['compare', '[[sim-sage:fail=rejected]]', ...TWO, '--fail-on', 'any']],
    [0, 'one failed of two', ['compare', '[[sim-sage:fail=rejected]]', ...TWO]],
    [3, 'all failed', ['compare', '[[sim:fail=rejected]]', ...TWO]],
    [4, 'a wrong key', ['models'], { MCS_API_KEY: 'mcs_wrong0123456789' }],
    [4, 'no key', ['models'], { MCS_API_KEY: '' }],
    [4, 'a key that no header takes', ['models'], { MCS_API_KEY: 'mcs_wr\u00f6ng0123456789' }],
    [5, 'more than the ceiling', ['compare', 'x', ...TWO, '--max-cost', '0.0000001']],
    [7, 'too slow', ['compare', '[[sim-sage:slow=50]]', ...TWO, '--max-latency', '20']],
  ])('%i: %s', async (code, _name, args, environment = {}) => {
    const caller = await createCaller();
    const ended = await mcs(caller, args, { environment });
    expect([ended.code, ended.errors]).toEqual([
      code,
      code === 0 || code === 7 || args.includes('any') ? '' : expect.stringMatching(/\S/),
    ]);
    expect(`${ended.out}${ended.errors}`).not.toMatch(/mcs_\w{8}|Error:|\n +at /);
  });

  it('6: rate limit, after the retries', async () => {
    const caller = await createCaller();
    const ended = await mcs(caller, [
      'models',
      '--url',
      await refusingServer(429, { 'retry-after': '61' }, 'rate_limited'),
    ]);
    expect([ended.code, ended.errors]).toEqual([
      6,
      'mcs: Told so. (rate_limited)\nTry again after 61 seconds.\nRequest req_1\n',
    ]);
  });

  it('130: Ctrl C, which names the eval that goes on', async () => {
    const caller = await createCaller();
    const { child, ended } = await startMcs(['compare', '[[sim:pace=10]] [[sim:length=60]]', ...TWO, '--jsonl'], {
      environment: variables(caller),
    });
    await once(child.stdout, 'readable');
    child.kill('SIGINT');
    const { code, out, errors } = await ended;
    const id = /eval_[0-9a-z]{20,}/.exec(out)?.[0] ?? '';
    expect([code, errors]).toEqual([
      130,
      `Stopped watching. The run continues and will be stored and charged. To see it: mcs eval ${id}\n`,
    ]);
    await eventually('it is stored', async () => (await caller.get(`/api/v1/evals/${id}`)).status === 200);
  });

  it('130: Ctrl C twice, at once, while there is no id of an eval yet', async () => {
    const sockets: Socket[] = [];
    const silent = createServer();
    silent.on('connection', (socket) => sockets.push(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    endAfterTests(() => {
      for (const socket of sockets) socket.destroy();
      silent.close();
    });
    const caller = await createCaller();
    const { child, ended } = await startMcs(
      ['compare', 'x', ...TWO, '--url', `http://127.0.0.1:${(silent.address() as AddressInfo).port}`],
      { environment: variables(caller) },
    );
    await once(silent, 'connection');
    child.kill('SIGINT');
    const [said] = (await once(child.stderr, 'data')) as [Buffer];
    child.kill('SIGINT');
    expect([String(said), (await ended).code]).toEqual([
      'Waiting for the id of the eval; Ctrl C again exits at once.\n',
      130,
    ]);
  });

  it('0 and no message when the reader of the pipe stops', async () => {
    const caller = await createCaller();
    const reader = await startMcs(['compare', '[[sim:pace=200]] [[sim:length=60]]', ...TWO, '--jsonl'], {
      environment: variables(caller),
    });
    const errorsOfReader: string[] = [];
    reader.child.stderr.on('data', (data: Buffer) => errorsOfReader.push(data.toString()));
    // Output that should have been read to its end is not.
    reader.ended.catch(() => undefined);
    const closed = once(reader.child, 'close');
    await once(reader.child.stdout, 'readable');
    reader.child.stdout.destroy();
    expect([await closed, errorsOfReader]).toEqual([[0, null], []]);
  });
});

describe('The key of mcs', () => {
  it('is stored by login in a private file, for that address alone, and is never printed', async () => {
    const caller = await createCaller();
    const home = temporaryFolder();
    const environment = { MCS_API_KEY: '', MCS_URL: '', XDG_CONFIG_HOME: home };
    const login = await mcs(caller, ['login', '--url', caller.url], {
      environment,
      input: ` "Bearer ${caller.key ?? ''}"\n`,
    });
    expect([login.code, login.out, login.errors]).toEqual([0, '', expect.stringContaining(caller.email)]);
    const file = join(home, 'mcs/login.json');
    expect([statSync(file).mode & 0o777, statSync(dirname(file)).mode & 0o777]).toEqual([0o600, 0o700]);
    const who = await mcs(caller, ['whoami'], { environment });
    expect([who.code, who.out]).toEqual([0, expect.stringContaining(caller.email)]);
    expect((await mcs(caller, ['whoami', '--url', 'http://127.0.0.1:1'], { environment })).code).toBe(4);
    expect(`${login.errors}${who.out}${who.errors}`).not.toContain(caller.key);
    expect(
      (
        await mcs(caller, ['login', '--url', caller.url], {
          environment: { ...environment, XDG_CONFIG_HOME: temporaryFolder() },
          input: 'mcs_wrong0123456789\n',
        })
      ).code,
    ).toBe(4);
  });

  it('is refused from a file that others may read', async () => {
    const caller = await createCaller();
    const home = temporaryFolder();
    mkdirSync(join(home, 'mcs'));
    writeFileSync(join(home, 'mcs/login.json'), JSON.stringify({ url: caller.url, api_key: caller.key }), {
      mode: 0o644,
    });
    const ended = await mcs(caller, ['models'], { environment: { MCS_API_KEY: '', XDG_CONFIG_HOME: home } });
    expect([ended.code, ended.errors]).toEqual([4, expect.stringContaining('chmod 600')]);
  });

  it('is not among the arguments of the process while it runs, nor in what it prints where it was pasted by mistake', async () => {
    const caller = await createCaller();
    const { child, ended } = await startMcs(['compare', '[[sim:pace=10]] [[sim:length=30]]', ...TWO, '--jsonl'], {
      environment: variables(caller),
    });
    await once(child.stdout, 'readable');
    expect(readFileSync(`/proc/${child.pid}/cmdline`, 'utf8')).not.toContain(caller.key);
    await ended;
    for (const args of [
      ['--key', caller.key ?? ''],
      [caller.key ?? ''],
      ['models', `--${caller.key}`],
      ['models', '--url', `http://${caller.key}@127.0.0.1:1`],
    ]) {
      const { out, errors, code } = await mcs(caller, args);
      expect([code, `${out}${errors}`]).toEqual([2, expect.not.stringContaining(caller.key ?? '')]);
    }
  });
});

(hasTerminals() ? describe : describe.skip)('mcs on a terminal (needs script)', () => {
  // The final screen: after the last erasure, without colors, with varying figures made equal.
  const seen = ({ out }: Ended) =>
    (out.split('\u001b[J').at(-1) ?? '')
      .replaceAll('\r', '')
      .replace(/\u001b\[\d+m/g, '')
      .replace(/eval_\w+/g, 'EVAL')
      .replace(/http:\/\/[\d.:]+/g, 'URL')
      .replace(/\d+ ms|\d+\.\d\d s/g, '0 ms')
      .replace('sim-swi…', 'sim-swift')
      .replace(/ (fastest|cheapest)/g, '')
      .replace(/\d+ tok\/s/g, '60 tok/s')
      .replace(/ +/g, ' ');

  // The same with figures that vary made equal, and everything else where it was.
  const zeros = (text: string) => text.replace(/[0-9A-Za-z]/g, '0');
  const steady = (out: string) =>
    out
      .replace(/\u001b\[\d+m/g, '')
      .replace(
        /^service[\s\S]*?(?=^key )|(?:eval|key|mcs)_\w+|http:\S+(?=\/evals)|\d{4}-\d\d(?:-\d\d(?: \d\d:\d\d)?)?/gm,
        zeros,
      )
      .replace(/ +(?:\d+ ms|\d+\.\d\d s)/g, ' 0 ms')
      .replace(/\d+ tok\/s {2}/g, '')
      .replace(/ +│/g, ' │');

  it.each([40, 80, 200])('of %s columns shows the answers, no line wider than it', async (columns) => {
    const caller = await createCaller();
    // A speed of two digits also on a busy machine: with one digit, the lines break elsewhere.
    const ended = await mcs(
      caller,
      [
        'compare',
        `[[sim:echo]] [[sim:pace=40]] [[sim-titan:fail=rejected]] 日本語のテキスト ${HOSTILE} the same text in each of them`,
        '-m',
        'sim-swift,sim-sage,sim-titan',
      ],
      { columns, environment: { TERM: 'xterm' } },
    );
    expect(ended.code).toBe(0);
    expect(`\n${seen(ended)}`).toMatchSnapshot();
    expect(ended.out.includes('\u001b[J')).toBe(columns >= 60);
    for (const line of ended.out.split(/\r?\n/).slice(0, -2)) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
  });

  it.each([40, 80, 200])('of %s columns shows every other command, no line wider than it', async (columns) => {
    const caller = await createCaller();
    const prompt = `[[sim:echo]] 日本語のテキスト ${HOSTILE} said by [[sim-sage:length=9]][[sim-sage:slow=2000]] each of them`;
    const { eval_id: id } = (await caller.compare({ prompt, input: 'good morning', models: ['sim-swift', 'sim-sage'] }))
      .body;
    const commands = [
      ['estimate', 'Say {input} in French.', '-i', 'good morning', ...TWO],
      ['models', '--search', 'sim'],
      ['evals'],
      ['eval', id],
      ['eval', id, '--diff', 'sim-swift,sim-sage'],
      ['eval', id, '--diff', 'sim-swift,sim-sage', '--plain'],
      ['usage'],
      ['usage', '--by', 'model'],
      ['usage', '--by', 'day'],
      ['usage', '--by', 'key'],
      ['whoami'],
    ];
    const shown: string[] = [];
    for (const args of commands) {
      const ended = await mcs(caller, args, { columns, environment: { TERM: 'xterm' } });
      expect([args, ended.code, ended.out.replace(/\u001b\[\d+m|[\r\n]/g, '')]).toEqual([
        args,
        0,
        expect.not.stringMatching(HARMFUL),
      ]);
      const lines = ended.out.split(/\r?\n/);
      // An address is not broken, so that it can be copied.
      for (const line of lines.filter((one) => !one.includes('/evals/')))
        expect([args, stringWidth(line) <= columns, line]).toEqual([args, true, line]);
      shown.push(`$ mcs ${args.join(' ')}`, steady(lines.join('\n')));
    }
    expect(`\n${shown.join('\n').replaceAll(id, 'ID')}`).toMatchSnapshot();
  });

  it('draws nothing over and uses no colors where that is not wanted', async () => {
    const caller = await createCaller();
    const outputs = await Promise.all([
      mcs(caller, ['compare', 'x', ...TWO, '--plain', '--no-color'], { columns: 80, environment: { TERM: 'xterm' } }),
      mcs(caller, ['compare', 'x', ...TWO, '--plain'], { columns: 80, environment: { TERM: 'xterm', NO_COLOR: '1' } }),
      mcs(caller, ['compare', 'x', ...TWO], { columns: 80, environment: { TERM: 'dumb' } }),
    ]);
    for (const { out, code } of outputs) expect([code, out]).toEqual([0, expect.not.stringContaining('\u001b')]);
  });

  it('stops watching after Ctrl C, and leaves what it has seen so far', async () => {
    const caller = await createCaller();
    const { child, ended } = await startMcs(['compare', '[[sim:pace=10]] [[sim:length=60]]', ...TWO], {
      columns: 80,
      environment: { ...variables(caller), TERM: 'xterm' },
    });
    await new Promise<void>((resolve) =>
      child.stdout.on('data', (data: Buffer) => {
        if (data.includes('▍')) resolve();
      }),
    );
    child.stdin.write('\u0003');
    const { code, out } = await ended;
    const [, id = ''] =
      /Stopped watching\. The run continues and will be stored and charged\. To see it: mcs eval (eval_\w+)/.exec(
        out,
      ) ?? [];
    expect([code, id]).toEqual([130, expect.stringMatching(/^eval_/)]);
    expect(out.slice(out.lastIndexOf('\u001b[J'))).toContain('sim-swift');
    await eventually('it is stored', async () => (await caller.get(`/api/v1/evals/${id}`)).status === 200);
  });

  it('asks for the key without showing it', async () => {
    const caller = await createCaller();
    const home = temporaryFolder();
    const { child, ended } = await startMcs(['login', '--url', caller.url], {
      columns: 80,
      environment: { XDG_CONFIG_HOME: home, TERM: 'xterm' },
    });
    await once(child.stdout, 'readable');
    child.stdin.write(`${caller.key}x\u007f\r`);
    const { out, code } = await ended;
    expect([code, out]).toEqual([0, expect.stringContaining(caller.email)]);
    expect(out).not.toContain(caller.key);
  });
});
