import { marked } from 'marked';
import { fenced, plain, table } from './markdown';

const HOSTILE = [
  '| a | b |',
  '<script>alert(1)</script>',
  '[link](https://example.org) ![x](https://example.org/x.png) https://example.org <https://example.org>',
  '``` fence ``````\n# head\n- item\n1. one\n> quote\n---\n***bold*** _i_ ~~s~~ `code`',
  '&lt;b&gt; &#60;b&#62; \\| \\<',
  'name@example.org www.example.org',
  '\u202eright to left\u202c \u2066x\u2069 \u0000',
  '    indented\n\n\ttab',
];

/** The text that a reader sees. */
function seen(html: string): string {
  return html
    .replace(/<[^>]*>/g, '')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, '&');
}

const unseen = (text: string) => text.replace(/[\u0000\u202a-\u202e\u2066-\u2069]/g, '\ufffd');

describe('Markdown of texts of others', () => {
  it.each(HOSTILE)('shows %j on a line unchanged', (text) => {
    const html = marked.parse(`before ${plain(text)} after`, { async: false });
    expect(seen(html).trim()).toBe(`before ${unseen(text.replace(/\s+/g, ' '))} after`);
    expect(html.match(/<(?!\/?p>)/g)).toBeNull();
  });

  it.each(HOSTILE)('keeps %j in one cell', (text) => {
    const html = marked.parse(table(['A', 'B'], [[plain(text), 'last']]), { async: false });
    expect(html.match(/<td>/g)).toHaveLength(2);
    expect(html).toContain('<td>last</td>');
    expect(html.match(/<(?!\/?(table|thead|tbody|tr|th|td)>)/g)).toBeNull();
  });

  it.each(HOSTILE)('lets %j not out of its fence', (text) => {
    const html = marked.parse(`${fenced(text)}\n\nafter`, { async: false });
    expect(html).toMatch(/^<pre><code class="language-text">[^]*<\/code><\/pre>\n<p>after<\/p>\n$/);
    expect(html.match(/<(?!\/?(pre|code|p)\b)/g)).toBeNull();
    expect(seen(html)).toContain(unseen(text));
  });

  it('shows the beginning of a long text, and half of no pair', () => {
    expect(plain('x'.repeat(599) + '😀')).toBe(`${'x'.repeat(599)}� …`);
    expect(fenced('x'.repeat(601))).toContain(`${'x'.repeat(600)} …\n`);
    expect(plain('x'.repeat(700), 2000)).toBe('x'.repeat(700));
  });
});
