import { UsageError } from './exit-codes';
import { requestOf, type RequestOptions } from './request';
import type { System } from './system';

const machine = (isInputTerminal: boolean, readInput: () => Promise<string>) =>
  ({
    isInputTerminal,
    readInput,
    readFile: () => 'From a file.\n',
    errors: { write: () => undefined },
  }) as unknown as System;
const TURNS = [
  { role: 'user', content: 'Hi {input}' },
  { role: 'assistant', content: 'Hello' },
];
const never = () => Promise.reject(new Error('Standard input was read.'));
const system = {
  readFile: (path: string) =>
    ({
      'city.json': '{"type":"object"}',
      'broken.json': '{',
      'turns.json': JSON.stringify(TURNS),
      'chat.json': JSON.stringify({ messages: TURNS }),
      'kept.json': JSON.stringify({ history: TURNS }),
      'system.json': JSON.stringify([{ role: 'system', content: 's' }, ...TURNS]),
      'null.json': 'null',
    })[path] ?? '',
  readInput: () => Promise.resolve('From the pipe.\n'),
} as unknown as System;

const of = (options: RequestOptions) => requestOf(system, 'Hi', { models: ['a@low,a@high'], ...options });

describe('The request of a command line', () => {
  it.each<[string, RequestOptions, object]>([
    ['--system', { system: 'Be brief.' }, { system: 'Be brief.' }],
    ['--system from a pipe', { system: '-' }, { system: 'From the pipe.' }],
    ['--history', { history: 'turns.json' }, { history: TURNS }],
    ['--history with messages', { history: 'chat.json' }, { history: TURNS }],
    ['--history with history', { history: 'kept.json' }, { history: TURNS }],
    ['--effort', { effort: 'low' }, { reasoning_effort: 'low' }],
    ['--reasoning-tokens', { reasoningTokens: '0' }, { reasoning_tokens: 0 }],
    ['--schema', { schema: 'city.json' }, { response_format: { type: 'json_schema', schema: { type: 'object' } } }],
    ['--exact-model', { exactModel: true }, { exact_model: true }],
    ['--no-store', { store: false }, { store: false }],
  ])('has %s among its options', async (_, options, expected) =>
    expect(await of(options)).toEqual({ prompt: 'Hi', models: ['a@low', 'a@high'], options: expected }),
  );

  it('has the prompt of a pipe where none was given, and reads no pipe beside one', async () => {
    const promptOf = async (from: System, argument: string | undefined, options: RequestOptions = {}) =>
      (await requestOf(from, argument, { models: ['a'], ...options })).prompt;
    expect(
      await promptOf(
        machine(false, () => Promise.resolve('hi\n')),
        undefined,
      ),
    ).toBe('hi');
    expect(await promptOf(machine(false, never), 'Hi')).toBe('Hi');
    expect(await promptOf(machine(false, never), undefined, { file: 'prompt.txt' })).toBe('From a file.');
    for (const [from, options] of [
      [machine(false, () => Promise.resolve(' \n')), {}],
      [machine(true, never), {}],
      [system, { input: '-' }],
      [machine(false, () => Promise.resolve('[]')), { history: '-' }],
    ] as const)
      await expect(promptOf(from, undefined, options)).rejects.toThrow(
        'Pass the prompt as an argument, with --file, or through a pipe.',
      );
    await expect(
      promptOf(
        machine(false, () => Promise.reject(Object.assign(new Error(), { code: 'EISDIR' }))),
        undefined,
      ),
    ).rejects.toThrow('Standard input cannot be read (EISDIR).');
  });

  it('has no options without any', async () =>
    expect(await of({ store: true })).toEqual({ prompt: 'Hi', models: ['a@low', 'a@high'] }));

  it.each<[RequestOptions, string]>([
    [{ schema: 'broken.json' }, 'broken.json is not JSON.'],
    [{ reasoningTokens: '-1' }, '--reasoning-tokens must be a number'],
    [{ history: 'system.json' }, 'system.json begins with a system message. Pass its text with --system'],
    [{ history: 'city.json' }, 'city.json must contain a list of turns, or an object with messages or history.'],
    [{ history: 'null.json' }, 'null.json must contain a list of turns'],
    [{ history: '-' }, 'Standard input is not JSON.'],
    [{ history: '-', system: '-' }, 'Only one option can read standard input.'],
    [{ system: '-', input: '-' }, 'Only one option can read standard input.'],
  ])('is refused with %j', async (options, words) => {
    await expect(of(options)).rejects.toThrow(UsageError);
    await expect(of(options)).rejects.toThrow(words);
  });
});
