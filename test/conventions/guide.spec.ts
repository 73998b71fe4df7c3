import { join } from 'node:path';

interface Renderer {
  render: (file: string, text: string) => { body: string };
}

const rendered = async (text: string) =>
  ((await import(join(__dirname, '../../src/clients/page/guide/render.mjs'))) as Renderer).render(
    'docs/errors.md',
    text,
  ).body;

describe('A page of the guide', () => {
  it.each([
    '<script>alert(1)</script>',
    'a <b onclick="x()">b</b>',
    '<img src=x onerror=alert(1)>',
    '<!-- c --><p style="color:red">',
    '```"><script>\n<script>\n```',
    '# <i>x</i>',
    '| <u>a</u> |\n| --- |\n| <s>b</s> |',
  ])('shows markup as text: %s', async (text) => {
    const allowed = new Set(['h1', 'a', 'p', 'pre', 'code', 'div', 'table', 'thead', 'tbody', 'tr', 'th', 'td']);
    const tags = [...(await rendered(text)).matchAll(/<\/?([a-z0-9]+)/gi)].map(([, tag = '']) => tag);
    expect(tags.filter((tag) => !allowed.has(tag))).toEqual([]);
  });

  it('leads to what the service serves, and shows other targets as text', async () => {
    const href = async (target: string) => /href="([^"]*)"/.exec(await rendered(`[x](${target})`))?.[1];
    expect(
      await Promise.all(
        [
          'evaluation.md#checks',
          '../README.md',
          'guides/streaming.md',
          'decisions/README.md',
          'openapi.json',
          '#warnings',
          'https://example.com/a',
        ].map(href),
      ),
    ).toEqual([
      '/docs/guide/evaluation#checks',
      '/docs/guide/readme',
      '/docs/guide/streaming',
      '/docs/guide/decisions',
      '/docs-json',
      '#warnings',
      'https://example.com/a',
    ]);
    expect(
      await Promise.all(
        [
          '../src/main.ts',
          '../LICENSE',
          'javascript:alert(1)',
          'data:text/html,x',
          '//example.com',
          '/docs/guide',
          '../../../etc/passwd',
        ].map(href),
      ),
    ).toEqual(Array(7).fill(undefined));
  });
});
