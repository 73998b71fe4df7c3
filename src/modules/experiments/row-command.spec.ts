import type { Check } from '../checks/types';
import { Money } from '../../common/money';
import type { CompareCommand } from '../execution/compare.types';
import type { RowTexts } from './experiment.types';
import { namesIn, rowCommand } from './row-command';

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
  rowId: 'r',
  input: 'text',
  expected: null,
  group: null,
  variables: null,
  checks: null,
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

  it('reads names of 1 to 40 letters, digits and underscores', () => {
    expect([...namesIn(`{a} {A_1} {} {a b} {${'x'.repeat(41)}} {"json": {b}}`)]).toEqual(['a', 'A_1', 'b']);
  });
});
