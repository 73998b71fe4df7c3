import { execFileSync, spawnSync } from 'node:child_process';
import * as ts from 'typescript';
import type { CompareRequest } from '../../client/client';
import { LANGUAGES } from './snippets';

const HOSTILE = `It's "quoted" \`id\` $HOME $(id) \\n \\\nJSON\nEOF\n'''"""\u2028\u202e 😀 {input} #{x} !! %s`;
const REQUEST = {
  prompt: `-${HOSTILE}`,
  input: HOSTILE,
  models: ['sim-swift', 'sim-sage@high'],
  options: {
    temperature: 0,
    samples: 2,
    system: HOSTILE,
    history: [{ role: 'assistant', content: HOSTILE }],
    reasoning_tokens: 100,
    exact_model: true,
    response_format: {
      type: 'json_schema',
      schema: { properties: { [HOSTILE]: { const: null } }, additionalProperties: false },
    },
  },
  checks: [{ type: 'contains', value: HOSTILE }],
} as unknown as CompareRequest;
const codeOf = (name: string): string =>
  LANGUAGES.find((language) => language.name === name)?.of(REQUEST, 'http://127.0.0.1:3000') ?? '';
/** Runs a script with `curl`, `mcs` and `cat` as functions that print what they get. */
const run = (script: string) =>
  execFileSync('bash', ['-c', script], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], MCS_API_KEY: 'mcs_x' },
    cwd: '/tmp',
  });
const hasPython = spawnSync('python3', ['--version']).status === 0;

describe('The code of a run', () => {
  it('of curl sends the request unchanged, with the key of the environment', () => {
    expect(JSON.parse(run(`curl() { command cat; }\n${codeOf('curl')}`))).toEqual(REQUEST);
    expect(run(`curl() { printf '%s\\n' "$@"; }\n${codeOf('curl')}`)).toContain('Bearer mcs_x\n');
  });

  it('of mcs has each text as one argument', () => {
    const printed = run(
      `cat() { command cat > /dev/null; }\nmcs() { printf '%s\\0' "$@"; }\n${codeOf('mcs').replaceAll('> schema.json', '').replaceAll('> checks.json', '').replaceAll('> turns.json', '')}`,
    );
    expect(printed.split('\0')).toEqual([
      'compare',
      '-m',
      'sim-swift,sim-sage@high',
      `--input=${HOSTILE}`,
      '--temperature=0',
      '--samples=2',
      `--system=${HOSTILE}`,
      '--reasoning-tokens=100',
      '--exact-model',
      '--schema',
      'schema.json',
      '--checks',
      'checks.json',
      '--history',
      'turns.json',
      '--',
      `-${HOSTILE}`,
      '',
    ]);
  });

  it('of TypeScript is valid and has the same request', () => {
    const { outputText, diagnostics = [] } = ts.transpileModule(codeOf('TypeScript'), {
      reportDiagnostics: true,
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
    });
    expect(diagnostics).toEqual([]);
    const [, literal = ''] = /client\.compare\(([\s\S]*)\);\nfor/.exec(outputText) ?? [];
    expect(JSON.parse(literal)).toEqual(REQUEST);
  });

  (hasPython ? it : it.skip)('of Python is valid and has the same request (needs python3)', () => {
    const program =
      'import ast, json, sys\ntree = ast.parse(sys.stdin.read())\ncall = tree.body[2].value\nprint(json.dumps(ast.literal_eval(next(k.value for k in call.keywords if k.arg == "json"))))';
    expect(JSON.parse(execFileSync('python3', ['-c', program], { input: codeOf('Python'), encoding: 'utf8' }))).toEqual(
      REQUEST,
    );
  });

  it.each(LANGUAGES)('of $name has no key, and no character that hides', ({ name, of }) => {
    expect(of({ prompt: 'Hi', models: ['a'] }, 'https://x.example')).toMatch(
      /https:..x\.example[^]*MCS_API_KEY|MCS_API_KEY[^]*https:..x\.example/,
    );
    if (name !== 'mcs') expect(codeOf(name)).not.toMatch(/[\u2028\u202e]/);
  });
});
