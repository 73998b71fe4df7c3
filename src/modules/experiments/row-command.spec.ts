import type { Check } from '../checks/types';
import { Money } from '../../common/money';
import type { CompareCommand } from '../execution/compare.types';
import type { Turn } from '../../common/turn';
import type { RowTexts } from './experiment.types';
import { namesIn, NO_ROW_TEXTS, rowCommand } from './row-command';

const CHECK = {
  name: 'contains-1',
  type: 'contains',
  weight: 1,
  not: false,
  values: ['{expected}'],
} as unknown as Check;
const template = (members: Partial<CompareCommand> = {}): CompareCommand => ({
  prompt: '{input}',
  input: undefined,
  models: ['a', 'b'],
  samples: 1,
  options: { temperature: 0, isTemperatureGiven: true, isMaxTokensGiven: true, maxTokens: 7 },
  checks: [],
  ...members,
});
const row = (members: Partial<RowTexts> = {}): RowTexts => ({
  ...NO_ROW_TEXTS,
  rowId: 'r',
  input: 'text',
  ...members,
});
const TERMS = { experimentId: 'exp_1', models: null };

describe('The command of a row', () => {
  it('keeps prompt and input apart where the prompt has no variables, as a compare does', () => {
    expect(rowCommand(template({ prompt: 'Say {input} {other}' }), row(), TERMS)).toMatchObject({
      prompt: 'Say {input} {other}',
      input: 'text',
      experimentId: 'exp_1',
      models: ['a', 'b'],
    });
    expect(rowCommand(template({ prompt: 'Say it' }), row(), TERMS)).toMatchObject({ prompt: 'Say it', input: 'text' });
  });

  it.each([
    ['{a} {b} {input}', { a: '{b}', b: '$& {input}' }, '{b} $& {input} text'],
    ['{constructor} {__proto__} {a}', { a: 'x' }, '{constructor} {__proto__} x'],
    ['{a}{a}', { a: '' }, ''],
  ])('replaces the names of %j in one pass', (prompt, variables, expected) => {
    expect(rowCommand(template({ prompt }), row({ variables }), TERMS)).toMatchObject({
      prompt: expected,
      input: undefined,
    });
  });

  it('asks only the models of a further attempt', () => {
    expect(rowCommand(template(), row(), { ...TERMS, models: ['b'] }).models).toEqual(['b']);
  });

  it('may cost no more than was dealt for it', () => {
    const maxCost = Money.of('0.25');
    expect(rowCommand(template(), row(), { ...TERMS, maxCost }).maxCost).toBe(maxCost);
  });

  it('has the checks of the row after those of the experiment, under other names, filled in once', () => {
    const own = { ...CHECK, values: ['{input}|{expected}|{tone}'] } as unknown as Check;
    const { checks } = rowCommand(
      template({ checks: [CHECK] }),
      row({ expected: '{input}', variables: { tone: '{expected}' }, checks: [own, { ...own, name: 'mine' }] }),
      TERMS,
    );
    expect(checks.map(({ name, ...check }) => [name, (check as unknown as { values: string[] }).values])).toEqual([
      ['contains-1', ['{input}']],
      ['row-contains-1', ['text|{input}|{expected}']],
      ['mine', ['text|{input}|{expected}']],
    ]);
  });

  it('is refused where the prompt would be too long, without building it', () => {
    const long = 'x'.repeat(128_000);
    const begunMs = performance.now();
    for (const [prompt, texts] of [
      ['{input}{input}', { input: long }],
      ['{a}'.repeat(10_000), { variables: { a: long } }],
    ] as const) {
      expect(() => rowCommand(template({ prompt }), row(texts), TERMS)).toThrow(
        expect.objectContaining({ code: 'invalid_request', param: 'prompt' }),
      );
    }
    // Building the second would take seconds and 1.3 GB.
    expect(performance.now() - begunMs).toBeLessThan(5000);
  });

  describe('with turns', () => {
    const user = (content: string): Turn => ({ role: 'user', content });
    const assistant = (content: string): Turn => ({ role: 'assistant', content });
    const after = (history: Turn[], members: Partial<CompareCommand> = {}) =>
      template({ ...members, options: { ...template().options, extra: { system: '{a}', history } } });
    const seen = (from: CompareCommand, members: Partial<RowTexts>) => {
      const { prompt, input, options } = rowCommand(from, row(members), TERMS);
      return [prompt, input, options.extra?.history];
    };

    it.each<[string, CompareCommand, Partial<RowTexts>, string, string | undefined, Turn[] | undefined]>([
      ['keeps them apart from the input', after([user('{input}')]), {}, '{input}', 'text', [user('{input}')]],
      [
        'fills in variables of turns alone, and appends no input',
        after([user('{a}'), assistant('{input} {b}')], { prompt: 'Go' }),
        { variables: { a: '{input}$&' } },
        'Go',
        undefined,
        [user('{input}$&'), assistant('text {b}')],
      ],
      [
        'puts those of the row last, in which nothing is replaced',
        after([user('{input}')]),
        { history: [assistant('{input} {a}')], variables: { a: 'x' } },
        'text',
        undefined,
        [user('text'), assistant('{input} {a}')],
      ],
      [
        'appends an input that none asks for',
        template({ prompt: 'Go' }),
        { history: [user('{input}')], input: '{input}' },
        'Go\n\n{input}',
        undefined,
        [user('{input}')],
      ],
      [
        'appends none that a turn of the template asks for',
        after([user('{input}')], { prompt: 'Go' }),
        { history: [user('a')] },
        'Go',
        undefined,
        [user('text'), user('a')],
      ],
      [
        'needs no input',
        template({ prompt: 'Go {input}' }),
        { history: [user('a')], input: null },
        'Go {input}',
        undefined,
        [user('a')],
      ],
      ['has none without any', template({ prompt: 'Go' }), { input: null }, 'Go', undefined, undefined],
    ])('%s', (_, from, members, ...expected) => {
      expect(seen(from, members)).toEqual(expected);
    });

    it('keeps the other options', () => {
      const { options } = rowCommand(after([user('a')]), row({ history: [user('b')] }), TERMS);
      expect(options).toMatchObject({ maxTokens: 7, extra: { system: '{a}', history: [user('a'), user('b')] } });
    });

    it('is refused where there are too many, or they are too long together', () => {
      const turns = (count: number) => Array.from({ length: count }, () => user('a'));
      expect(seen(after(turns(60)), { history: turns(40) })[2]).toHaveLength(100);
      expect(() => seen(after(turns(60)), { history: turns(41) })).toThrow('With this row, there are 101 turns');
      const long = 'x'.repeat(128_000);
      for (const [from, members] of [
        [after([user('{input}'), user('{input}{input}')]), { input: long }],
        [after([user('{input}')]), { input: long, history: [user(long), user('x')] }],
        [after([user('{a}'.repeat(10_000))]), { variables: { a: long } }],
      ] satisfies [CompareCommand, Partial<RowTexts>][])
        expect(() => seen(from, members)).toThrow(
          expect.objectContaining({ code: 'invalid_request', param: 'options.history' }),
        );
    });
  });

  it('reads names of 1 to 40 letters, digits and underscores', () => {
    expect([...namesIn(`{a} {A_1} {} {a b} {${'x'.repeat(41)}} {"json": {b}}`)]).toEqual(['a', 'A_1', 'b']);
  });
});
