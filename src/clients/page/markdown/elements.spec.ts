import type { VNode } from 'preact';
import { lexMarkdown } from './bounded-lexer';
import { blockElement } from './elements';

/** Addresses of all links and sources of all that is fetched, in what the page makes of a text. */
function addressesIn(markdown: string): string[] {
  const found: string[] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(visit);
    if (typeof node !== 'object' || node === null || !('type' in node)) return;
    const { type, props } = node as VNode<Record<string, unknown>>;
    // A component of this file: what it makes.
    if (typeof type === 'function') visit((type as (props: object) => unknown)(props));
    for (const name of ['href', 'src', 'action', 'formaction'])
      if (typeof props[name] === 'string') found.push(props[name]);
    visit(props['children']);
  };
  lexMarkdown(markdown).forEach((token) => visit(blockElement(token)));
  return found;
}

/** The ways in which a text can name an address. */
const WAYS: readonly ((address: string) => string)[] = [
  (address) => `[words](${address})`,
  (address) => `[words](<${address}>)`,
  (address) => `[words]( ${address} "title")`,
  (address) => `<${address}>`,
  (address) => `![words](${address})`,
  (address) => `[![words](${address})](${address})`,
  (address) => `[words][1]\n\n[1]: ${address}`,
  (address) => `- **[words](${address})**`,
  (address) => `| a |\n|---|\n| [words](${address}) |`,
  (address) => `> # [words](${address})`,
  (address) => address,
];

describe('Links of an answer', () => {
  it.each(WAYS.map((way) => [way('https://good.example/a')]))('are made of an address of the web: %j', (markdown) => {
    expect(addressesIn(markdown)).toContain('https://good.example/a');
  });

  it.each([
    // With a host, as `http:` has one.
    'javascript://good.example/%0aalert(1)',
    'JaVaScRiPt://good.example/%0aalert(1)',
    'javascript:alert(1)',
    'javascript:alert(1)//https://good.example',
    'data:text/html,alert(1)',
    'data://good.example/a',
    'vbscript://good.example/a',
    'file://good.example/a',
    'blob:https://good.example/a',
    'ftp://good.example/a',
    'chrome://settings',
    'x://good.example',
    '//good.example/a',
    '/evals',
    '#main',
    // References to characters, which are decoded.
    'javascript&#58;//good.example/a',
    'javascript&#x3a;//good.example/a',
    '&#106;avascript://good.example/a',
    'java&#115;cript&#58;//good.example/a',
    'javascript&colon;//good.example/a',
    '&#1;javascript://good.example/a',
    'java&#10;script://good.example/a',
    'java&#9;script://good.example/a',
    // White space and control characters, which browsers take out.
    'java\tscript://good.example/a',
    'java\nscript://good.example/a',
    ' javascript://good.example/a',
    '\u0001javascript://good.example/a',
    '\u00a0javascript://good.example/a',
    'javascript\u200b://good.example/a',
    'javascript\\://good.example/a',
    '\\javascript://good.example/a',
  ])('are never made of %j, in whatever way a text names it', (address) => {
    expect(
      WAYS.flatMap((way) => addressesIn(way(address)).filter((each) => !/^https?:\/\/good\.example\/a?$/.test(each))),
    ).toEqual([]);
  });
});
