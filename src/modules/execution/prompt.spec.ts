import fc from 'fast-check';
import { filledLength, fillPrompt } from './prompt';

const TOKEN = '{input}';
/** Texts full of what could be taken for a token or for a pattern. */
const fragment = fc.constantFrom(
  '{',
  '}',
  '{inp',
  'ut}',
  'input',
  '{input',
  'input}',
  '$&',
  '$1',
  "$'",
  '$`',
  '$$',
  '\\',
  '{{',
  '}}',
  '{Input}',
  '{ input }',
  '\n',
  'a',
  '\u{1F600}',
  '%s',
);
const text = fc.array(fragment, { maxLength: 8 }).map((fragments) => fragments.join(''));
const textWithoutToken = text.filter((candidate) => !candidate.includes(TOKEN));

/** The same rule walked by hand, from left to right. */
function walked(prompt: string, input: string): string {
  let filled = '';
  for (let position = 0; position < prompt.length;) {
    const isToken = prompt.startsWith(TOKEN, position);
    filled += isToken ? input : prompt.charAt(position);
    position += isToken ? TOKEN.length : 1;
  }
  return filled;
}

describe('fillPrompt', () => {
  test.each([
    ['Say {input} in French.', 'good morning', 'Say good morning in French.'],
    ['{input}', 'x', 'x'],
    ['{input}{input} and {input}', 'x', 'xx and x'],
    ['{input}', '', ''],
    ['a {input} b', '{input}', 'a {input} b'],
    ['{input} {input}', 'x{input}y', 'x{input}y x{input}y'],
    ['{inp{input}ut}', '', '{input}'],
    ['{inp{input}ut}', 'ut}{inp', '{input}{input}'],
    ['{{input}}', 'x', '{x}'],
    ['cost: {input}', "$& $1 $$ $` $' $<a>", "cost: $& $1 $$ $` $' $<a>"],
    ['{input} {Input} { input } {inputs}', 'x', 'x {Input} { input } {inputs}'],
    ['{input}', 'zwei\nZeilen\u{1F600}', 'zwei\nZeilen\u{1F600}'],
  ])('turns %j with %j into %j', (prompt, input, filled) => {
    expect(fillPrompt(prompt, input)).toEqual({ text: filled, warnings: [] });
  });

  test.each([
    ['Translate:', 'good morning', 'Translate:\n\ngood morning'],
    ['Translate {INPUT}:', '{input}', 'Translate {INPUT}:\n\n{input}'],
    ['$&', '$&', '$&\n\n$&'],
  ])('appends, to %j without a token, the input %j after a blank line', (prompt, input, filled) => {
    expect(fillPrompt(prompt, input)).toEqual({ text: filled, warnings: [] });
  });

  test('replaces every literal token in one pass and never scans the input again', () => {
    fc.assert(
      fc.property(fc.array(textWithoutToken, { minLength: 2, maxLength: 6 }), text, (parts, input) => {
        expect(fillPrompt(parts.join(TOKEN), input).text).toBe(parts.join(input));
      }),
      { numRuns: 2000 },
    );
  });

  test('agrees with a scan from left to right', () => {
    fc.assert(
      fc.property(text, text, (prompt, input) => {
        expect(fillPrompt(prompt, input).text).toBe(
          prompt.includes(TOKEN) ? walked(prompt, input) : `${prompt}\n\n${input}`,
        );
      }),
      { numRuns: 2000 },
    );
  });
});

describe('fillPrompt without input', () => {
  test('keeps the prompt unchanged', () => {
    expect(fillPrompt('Say hello.', undefined)).toEqual({ text: 'Say hello.', warnings: [] });
  });

  test('keeps the prompt unchanged and warns when it has a token', () => {
    const filled = fillPrompt('Say {input} and {input}.', undefined);
    expect(filled.text).toBe('Say {input} and {input}.');
    expect(filled.warnings).toEqual([{ code: 'input_missing', message: expect.stringContaining(TOKEN) as string }]);
  });
});

describe('fillPrompt with turns', () => {
  const turns = (...contents: string[]) =>
    contents.map((content, index) => ({ role: index % 2 === 0 ? ('user' as const) : ('assistant' as const), content }));

  test.each([
    ['Go on.', ['About {input}', 'Yes'], "$& {input} $'", 'Go on.', ["About $& {input} $'", 'Yes']],
    ['On {input}.', ['{input}{input}'], 'x', 'On x.', ['xx']],
    ['On {input}.', ['none'], 'x', 'On x.', ['none']],
    ['Go on.', ['{Input}', ''], 'x', 'Go on.\n\nx', ['{Input}', '']],
    ['Go on.', ['{input}'], '', 'Go on.', ['']],
  ])(
    'fills %j after %j with %j in one pass, and appends only where none asks',
    (prompt, before, input, text, after) => {
      expect(fillPrompt(prompt, input, turns(...before))).toEqual({ text, history: turns(...after), warnings: [] });
    },
  );

  test('warns where only a turn has a token and no input is given, and changes nothing', () => {
    const history = turns('{input}');
    const filled = fillPrompt('Go on.', undefined, history);
    expect(filled).toEqual({
      text: 'Go on.',
      history,
      warnings: [
        { code: 'input_missing', message: expect.stringMatching(/^The history contains \{input\}/) as string },
      ],
    });
    expect(fillPrompt('Go on.', undefined, turns('x')).warnings).toEqual([]);
  });
});

describe('The length of a filled prompt', () => {
  test('has no input appended that is elsewhere', () => {
    expect(filledLength('none', 'xyz', true)).toEqual({ characters: 4, occurrences: 0 });
    expect(filledLength('{input}', 'xyz', true)).toEqual({ characters: 3, occurrences: 1 });
  });

  test('equals the length of the filled text, in characters', () => {
    const words = fc.string({ unit: fc.constantFrom(TOKEN, '{input', '}', '🐘', 'x', '\n', '$&'), maxLength: 30 });
    fc.assert(
      fc.property(words, fc.option(words, { nil: undefined }), (prompt, input) => {
        expect(filledLength(prompt, input).characters).toBe([...fillPrompt(prompt, input).text].length);
      }),
    );
  });

  test('comes with the number of placeholders', () => {
    expect(filledLength('{input}{input} and {input', 'x')).toEqual({ characters: 13, occurrences: 2 });
    expect(filledLength('none', 'x')).toEqual({ characters: 7, occurrences: 0 });
  });
});
