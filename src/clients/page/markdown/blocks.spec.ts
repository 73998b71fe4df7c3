import fc from 'fast-check';
import { Blocks } from './blocks';
import { lexMarkdown } from './bounded-lexer';

const PARTS = [
  'word',
  ' two words',
  '\n',
  '\n\n',
  '**bold**',
  '*',
  '_a_',
  '`code`',
  '```\n',
  '    ',
  '  ',
  '- item',
  '1. one',
  '2. two',
  '* other',
  '> quote',
  '# title',
  '---',
  '===',
  '| a | b |',
  '|---|---|',
  '|',
  '<div>',
  '</div>',
  '[a](https://a.example)',
  '[x][1]',
  '[1]: https://b.example',
  '~~gone~~',
  '\\',
  '\t',
  '- [ ] task',
  '\r\n',
  '&amp;',
  '![i](https://c.example/i.png)',
  '1',
  '-',
  '.',
  '<!-- ',
  '-->',
];
const anyMarkdown = fc.array(fc.constantFrom(...PARTS), { maxLength: 40 }).map((parts) => parts.join(''));

describe('Blocks', () => {
  it('are, however a text comes in, those of the whole text at its end', () => {
    fc.assert(
      fc.property(anyMarkdown, fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1 }), (text, sizes) => {
        const blocks = new Blocks();
        for (let [end, turn] = [0, 0]; end < text.length; turn += 1) {
          end += sizes[turn % sizes.length] ?? 1;
          blocks.update(text.slice(0, end));
        }
        expect(withoutSpace(blocks.end(text))).toEqual(withoutSpace(lexMarkdown(text)));
      }),
      {
        numRuns: 2_000,
        examples: [
          ['word\nword\n|---|---|', [1]],
          ['word```\n2. two\r\n-->', [1]],
        ],
      },
    );
  });

  it('are the same objects while the text grows behind them', () => {
    const blocks = new Blocks();
    const [first] = blocks.update('# Title\n\nA paragraph\n');
    expect(blocks.update('# Title\n\nA paragraph\nthat goes on')[0]).toBe(first);
  });

  it('are read once: a long answer costs little more than its last block', () => {
    const blocks = new Blocks();
    const paragraphs = Array.from({ length: 500 }, (_, i) => `Paragraph ${i} with **some** words.\n\n`);
    let text = '';
    const all = paragraphs.map((paragraph) => blocks.update((text += paragraph)));
    const [first] = all.at(-1) ?? [];
    expect(all.slice(1).every(([block]) => block === first)).toBe(true);
    expect(all.at(-1)).toHaveLength(1_000);
  });

  it('of another text are read from the beginning', () => {
    const blocks = new Blocks();
    blocks.update('# One\n\ntwo\n');
    expect(blocks.update('three').map(({ raw }) => raw)).toEqual(['three']);
  });

  it('find the definition of a link at the end', () => {
    const text = '[a][1]\n\nmore\n\n[1]: https://a.example\n';
    const blocks = new Blocks();
    blocks.update(text.slice(0, 14));
    expect(blocks.end(text)[0]).toMatchObject({ tokens: [{ type: 'link', href: 'https://a.example' }] });
  });
});

/** The shown text: without blank lines between blocks. */
function withoutSpace(tokens: readonly { type: string; raw: string }[]): unknown[] {
  return tokens.filter(({ type }) => type !== 'space').map((token) => ({ ...token, raw: token.raw.trimEnd() }));
}
