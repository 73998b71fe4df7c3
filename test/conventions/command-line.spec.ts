import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { EXAMPLES } from '../../src/clients/cli/examples';
import type { run as runIt } from '../../src/clients/cli/program';
import type { System } from '../../src/clients/cli/system';
import { temporaryFolder } from '../support/temporary-folder';

// The built one, because it loads its commands by the names of their built files.
const { run } = jest.requireActual<{ run: typeof runIt }>(join(__dirname, '../../dist/src/clients/cli/program.js'));

/** A machine without a key, a network or files. */
function machine(more: Partial<System> = {}) {
  const said = { out: '', errors: '' };
  const files = new Map<string, string>();
  const output = (name: 'out' | 'errors') => ({
    isTerminal: false,
    columns: 400,
    rows: 24,
    write: (text: string) => {
      said[name] += text;
    },
  });
  const system = {
    environment: {},
    out: output('out'),
    errors: output('errors'),
    configFolder: '/home/me/mcs',
    isInputTerminal: true,
    readPrivateFile: (path: string) => (files.has(path) ? { text: files.get(path) ?? '', isPrivate: true } : undefined),
    writePrivateFile: (path: string, text: string) => void files.set(path, text),
    removeFile: (path: string) => files.delete(path),
    ...more,
  } as unknown as System;
  return { said, files, system };
}

async function helpOf(...args: string[]): Promise<string> {
  const { said, system } = machine();
  expect(await run([...args, '--help'], system)).toBe(0);
  return said.out;
}

describe('The help of mcs', () => {
  it('shows the commands in groups', async () => {
    const help = await helpOf();
    expect([...help.matchAll(/^(\w[\w ]*):$/gm)].map(([, heading]) => heading)).toEqual([
      'Options',
      'Compare',
      'Look back',
      'Judge',
      'Experiments',
      'Runs and links',
      'Account and setup',
    ]);
  });

  it('ends with examples for each command, and each example is a command line that mcs reads', async () => {
    const { said, system: plain } = machine();
    await run(['completion', 'bash'], plain);
    const paths = [
      ...new Set([...said.out.matchAll(/^ {4}'([a-z]+(?: [a-z][a-z-]*)*)'\) echo/gm)].map(([, path = '']) => path)),
    ];
    const leaves = paths.filter(
      (path) =>
        ['models', 'datasets', 'experiment'].includes(path) || !paths.some((other) => other.startsWith(`${path} `)),
    );
    expect(leaves.sort()).toEqual(Object.keys(EXAMPLES).sort());
    for (const [path, lines] of Object.entries(EXAMPLES)) {
      expect(await helpOf(...path.split(' '))).toContain(`\nExamples:\n  $ ${lines[0]}\n`);
      for (const line of lines) {
        const [, words = ''] = /mcs (.*?)(?: >.*)?$/.exec(line.replace(/\$\(.*?\)/, 'run_1')) ?? [];
        const args = [...words.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
        const { said: read, system } = machine({ readFile: () => 'Hi', readInput: () => Promise.resolve('Hi') });
        expect(args.slice(0, path.split(' ').length).join(' ')).toBe(path);
        expect([line, await run(args, system), read.errors]).toEqual([
          line,
          expect.any(Number),
          expect.not.stringMatching(/error: |Usage:/),
        ]);
      }
    }
  });
});

describe('The default models of mcs', () => {
  it('are stored, shown in a harmless way, replaced by MCS_MODELS and removed', async () => {
    const { said, files, system } = machine();
    expect(await run(['models', 'default', ' sim-swift,, sim-\u001b[2Jsage\u202e'], system)).toBe(0);
    expect([...files.keys()]).toEqual(['/home/me/mcs/config.json']);
    await run(['models', 'default'], system);
    expect(said.out).toBe('sim-swift,sim-\u241b[2Jsage\ufffd\n');
    system.environment['MCS_MODELS'] = 'a,b';
    await run(['models', 'default'], system);
    expect(said.out).toMatch(/\na,b\n$/);
    delete system.environment['MCS_MODELS'];
    expect([
      await run(['models', 'default', '--clear'], system),
      await run(['models', 'default', ','], system),
      await run(['models', 'default', 'a', '--clear'], system),
    ]).toEqual([0, 2, 2]);
    await run(['models', 'default'], system);
    expect(said.errors).toContain('There are no default models.');
    files.set('/home/me/mcs/config.json', '{"models":"sim-swift"}');
    expect([await run(['models', 'default'], system), said.errors]).toEqual([
      2,
      expect.stringContaining('config.json does not hold default models'),
    ]);
  });
});

it('mcs logout removes the stored key, and says where another is still used', async () => {
  const { said, files, system } = machine({ environment: { MCS_API_KEY: 'mcs_env01234567' } });
  files.set('/home/me/mcs/login.json', '{}');
  expect([await run(['logout'], system), files.size, await run(['logout'], system)]).toEqual([0, 0, 0]);
  expect(said.errors).toBe(
    'Removed /home/me/mcs/login.json. The key itself still works.\nMCS_API_KEY is set and still used.\nThere was no login.\nMCS_API_KEY is set and still used.\n',
  );
});

describe('mcs erase', () => {
  const environment = { MCS_API_KEY: 'mcs_env01234567', MCS_URL: 'http://127.0.0.1:1' };

  it.each<[number, Partial<System>]>([
    [2, { isInputTerminal: false }],
    [1, { ask: () => Promise.resolve('') }],
    [1, { ask: () => Promise.resolve('no') }],
    [130, { ask: () => Promise.resolve(undefined) }],
  ])('ends with %i and sends nothing where it is not confirmed', async (code, more) => {
    const { said, system } = machine({ environment, ...more });
    expect([await run(['erase', 'eval_1'], system), said.errors]).toEqual([
      code,
      expect.not.stringContaining('No connection'),
    ]);
  });
});

/** The arguments that keep each shell from reading its own settings. */
const BARE: Readonly<Record<string, readonly string[]>> = { bash: ['--norc'], zsh: ['-f'], fish: ['--no-config'] };

describe('The completion of mcs', () => {
  const script = async (shell: string) => {
    const { said, system } = machine();
    expect(await run(['completion', shell], system)).toBe(0);
    return said.out;
  };
  // The answer of a hostile service to mcs models.
  const MODELS = 'model\tname\nsim-swift\ta\nsim-sage:free\tb\n$(touch /tmp/owned)\tc\n`id`\td\na b;c\te\n';
  const completed = async (shell: string, program: string, line: string) => {
    const { status, stdout, stderr } = spawnSync(shell, [...(BARE[shell] ?? []), '-c', program], {
      encoding: 'utf8',
      timeout: 60_000,
      env: {
        PATH: process.env['PATH'],
        HOME: temporaryFolder(),
        TERM: 'dumb',
        SCRIPT: await script(shell),
        FAKE: MODELS,
        LINE: line,
      },
    });
    expect([status, stderr]).toEqual([0, '']);
    return stdout.trimEnd().split('\n');
  };
  const inBash = (line: string) =>
    completed(
      'bash',
      `mcs() { printf '%s' "$FAKE"; }; eval "$SCRIPT"; COMP_LINE=$LINE COMP_POINT=\${#LINE}; _mcs; printf '%s\\n' "\${COMPREPLY[@]}"`,
      line,
    );
  const inFish = (line: string) =>
    completed('fish', 'function mcs; printf %s $FAKE; end; echo $SCRIPT | source; complete -C "$LINE"', line);
  // A terminal within zsh, whose completion says what it would insert instead of inserting it.
  const inZsh = async (line: string) => {
    const setUp = `PROMPT= RPROMPT=; autoload -Uz compinit; compinit -u -D; mcs() { printf %s "$FAKE" }; eval "$SCRIPT"; bindkey "^I" complete-word; compadd() { local -a hits; builtin compadd -O hits "$@"; print -r -- "<\${(j: :)hits}>"; (( \${#hits} )) }; print REA''DY`;
    const [, words = ''] =
      /<([^<>]*)>\r?$/.exec(
        (
          await completed(
            'zsh',
            `zmodload zsh/zpty; zpty z zsh -f -i; zpty -w z '${setUp.replaceAll("'", `'\\''`)}'; zpty -r -m z said '*READY*'; zpty -w -n z "$LINE"$'\\t'; zpty -r -m z said '*<*>*'; print -r -- "$said"`,
            line,
          )
        ).at(-1) ?? '',
      ) ?? [];
    return words.split(' ');
  };

  it.each<[string, string[]]>([
    ['mcs com', ['compare', 'comparison', 'completion']],
    ['mcs models def', ['default']],
    ['mcs admin users cre', ['create']],
    ['mcs usage --by ', ['model', 'day', 'key']],
    ['mcs compare "x" --max-c', ['--max-cost']],
    ['mcs compare x -m ', ['sim-swift', 'sim-sage:free']],
    ['mcs compare * -m sim-swift,sim-sa', ['sim-swift,sim-sage:free']],
    ['mcs compare x -m sim-sage:f', ['free']],
    ['mcs eval nothing', ['']],
  ])('in bash offers for %j %j', async (line, words) => expect(await inBash(line)).toEqual(words));

  const WORDS: [string, string[]][] = [
    ['mcs com', ['compare', 'comparison', 'completion']],
    ['mcs models def', ['default']],
    ['mcs admin users cre', ['create']],
    ['mcs usage --by ', ['day', 'key', 'model']],
    ['mcs compare "x" --max-c', ['--max-cost']],
    ['mcs compare x -m ', ['sim-sage:free', 'sim-swift']],
    ['mcs compare x --models sim-sage:f', ['sim-sage:free']],
  ];
  const describeWith = (shell: string) => (spawnSync(shell, ['-c', 'true']).status === 0 ? describe : describe.skip);

  describeWith('zsh')('in zsh (needs zsh)', () => {
    it.each([...WORDS, ['mcs compare x -m sim-swift,sim-sa', ['sim-sage:free']] as const])(
      'offers for %j %j',
      async (line, words) => expect((await inZsh(line)).sort()).toEqual(words),
    );
  });

  describeWith('fish')('in fish (needs fish)', () => {
    it.each([...WORDS, ['mcs compare x -m sim-swift,sim-sa', ['sim-swift,sim-sage:free']] as const])(
      'offers for %j %j',
      async (line, words) => expect((await inFish(line)).sort()).toEqual(words),
    );
  });

  it('is there for zsh and fish, and no other shell', async () => {
    expect(await script('zsh')).toMatch(/^#compdef mcs\n[\s\S]+'admin users'\)/);
    expect(await script('fish')).toMatch(/-l models -s m -xa '\(__fish_complete_list , __mcs_models\)'/);
    const { said, system } = machine();
    expect([await run(['completion', 'constructor'], system), said.errors]).toEqual([
      2,
      'mcs: Completion is there for bash, zsh and fish.\n',
    ]);
  });
});
