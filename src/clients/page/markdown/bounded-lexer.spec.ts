import { lexMarkdown } from './bounded-lexer';

const SIZE = 100_000;
const fill = (part: string, size = SIZE) => part.repeat(Math.ceil(size / part.length));
const HOSTILE: Readonly<Record<string, string>> = {
  backticks: fill('`'),
  'runs of backticks that grow': Array.from({ length: 440 }, (_, i) => '`'.repeat(i + 1)).join(' '),
  stars: fill('*a '),
  'stars of both kinds': fill('**a *b '),
  underscores: fill('_a'),
  'mixed marks': fill('*a_b'),
  'open brackets': fill('['),
  'open links': fill('[a]('),
  'links in links': fill('[a', SIZE / 2) + fill('](b)', SIZE / 2),
  images: fill('!['),
  quotes: fill('>'),
  'quotes with blanks': fill('> '),
  'lists in lists': fill('- '),
  'numbered lists in lists': fill('1. '),
  'a list': fill('- a\n'),
  tags: fill('<a '),
  attributes: fill('<a href="'),
  comments: fill('<!--'),
  'mail addresses': `${fill('a.')}@`,
  hosts: fill('www.'),
  waves: fill('~a'),
  definitions: fill('[a]: b\n'),
  titles: fill('a\n') + '===',
  'no blank': fill('a'),
  blanks: `a${fill(' ')}b`,
  'a table of empty lines': `${fill('|a', 10_000)}|\n${fill('|-', 10_000)}|\n${fill('|\n')}`,
  'many large tables': fill(`${fill('|a', 2_000)}|\n${fill('|-', 2_000)}|\n${fill('|\n', 1_000)}\n\n`),
  fences: fill('```\n'),
  dollars: fill('$a'),
  'dollars of formulas': fill('$a=b '),
  'open formulas': fill('\\('),
  'open displays': fill('\\['),
  references: `[a]: b\n\n${fill('[a] ')}`,
};

describe('lexMarkdown', () => {
  it.each(Object.entries(HOSTILE))('reads 100,000 characters of %s in bounded time', (_name, text) => {
    const started = performance.now();
    lexMarkdown(text);
    expect(performance.now() - started).toBeLessThan(4_000);
  });

  it('leaves what lies too deep as text', () => {
    let [tokens, depth] = [lexMarkdown(`${'> '.repeat(100)}deep`) as { type: string; tokens?: never[] }[], 0];
    while (tokens[0]?.type === 'blockquote') [tokens, depth] = [tokens[0].tokens ?? [], depth + 1];
    expect(depth).toBe(12);
    expect(tokens).toMatchObject([{ type: 'paragraph' }]);
  });

  it('makes no table of more cells than anybody reads', () => {
    const table = (columns: number, rows: number) =>
      `${fill('|a', columns * 2)}|\n${fill('|-', columns * 2)}|\n${fill('|a|\n', rows * 4)}`;
    expect(lexMarkdown(table(10, 100))[0]?.type).toBe('table');
    expect(lexMarkdown(table(100, 100)).some(({ type }) => type === 'table')).toBe(false);
  });

  it.each([
    ['a $\\lambda^{-4}$ b', ['$\\lambda^{-4}$']],
    ['$$E = mc^2$$', ['$$E = mc^2$$']],
    ['$a_1 * b_1 * c$', ['$a_1 * b_1 * c$']],
    ['so $x$.', ['$x$']],
    ['\\(a * b * c\\) and \\[\nx\n\\]', ['\\(a * b * c\\)', '\\[\nx\n\\]']],
    ['$5 and $6', []],
    ['$5-$6', []],
    ['from $5=$10', []],
    ['$HOME and $PATH', []],
    ['$A_B/$C', []],
    ['US$5, US$6', []],
    ['\\$5 = $6', []],
    ['`$x$`', ['$x$']],
  ])('reads formulas in %j', (text, expected) => {
    const [paragraph] = lexMarkdown(text) as { tokens?: { type: string; text: string }[] }[];
    expect(paragraph?.tokens?.filter(({ type }) => type === 'codespan').map((token) => token.text)).toEqual(expected);
  });

  it('keeps every character of a text that is read in pieces', () => {
    const text = `${fill('some **words** and 😀 ', 9_000)}😀`;
    const [paragraph] = lexMarkdown(text) as { tokens?: { raw: string }[] }[];
    expect(paragraph?.tokens?.map(({ raw }) => raw).join('')).toBe(text);
  });
});
