import { codeTokens } from './code-tokens';

const kinds = (code: string, language: string) =>
  codeTokens(code, language)
    .filter(({ kind }) => kind !== 'plain')
    .map(({ kind, text }) => `${kind}: ${text}`);

describe('codeTokens', () => {
  it.each([
    [
      'python',
      'def f(n):  # sum\n    return "a\\"b" + \'c\'',
      ['word: def', 'comment: # sum', 'word: return', 'string: "a\\"b"', "string: 'c'"],
    ],
    ['python', '"""two\nlines""" x = 1.5', ['string: """two\nlines"""', 'word: 1.5']],
    [
      'ts',
      'const a = `x ${1}`; // y\n/* z\n */ nothing',
      ['word: const', 'string: `x ${1}`', 'comment: // y', 'comment: /* z\n */'],
    ],
    ['sql', "SELECT 'it' FROM t -- all", ['word: SELECT', "string: 'it'", 'word: FROM', 'comment: -- all']],
    ['rust', "fn f<'a>(x: &'a str)", ['word: fn']],
    ['js', '"open\nconst x', ['string: "open', 'word: const']],
    ['js', '/* open\nconst x', ['comment: /* open\nconst x']],
    ['js', 'constant newer', []],
    ['', 'const a = "b"', []],
    ['text', 'const a = "b"', []],
    ['constructor', 'const a', []],
  ])('of %s code %j are %j', (language, code, expected) => expect(kinds(code, language)).toEqual(expected));

  it.each(['"', '\\', "'", '`', '"\\', "'\\'", '/', '/*', '*/', '#', '-', '$', '1.', 'é', '"""\n', '"a\n', '\ud800'])(
    'takes time in proportion to its length, and keeps every character, of %j',
    (part) => {
      const timeOf = (length: number): number => {
        const code = part.repeat(Math.ceil(length / part.length));
        const started = performance.now();
        for (const language of ['python', 'ts', 'sql', 'rust'])
          expect(
            codeTokens(code, language)
              .map(({ text }) => text)
              .join(''),
          ).toBe(code);
        return performance.now() - started;
      };
      expect(timeOf(49_000)).toBeLessThan(3_000);
      expect(timeOf(1_000_000)).toBeLessThan(3_000);
    },
  );
});
