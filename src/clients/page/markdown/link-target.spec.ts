import { linkTarget, showsHost } from './link-target';

describe('linkTarget', () => {
  it.each([
    ['https://example.com/a?b#c', 'example.com'],
    ['HTTP://Example.com:8080', 'example.com:8080'],
    ['mailto:ann@example.com', 'ann@example.com'],
    ['https://bank.example@evil.example/', 'evil.example'],
    ['https://exämple.com', 'xn--exmple-cua.com'],
  ])('of %s names %s', (href, host) => expect(linkTarget(href)?.host).toBe(host));

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'javascript://a.example/%0aalert(1)',
    'vbscript://a.example/x',
    'data://a.example/x',
    'data:text/html,<script>',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://a/b',
    '/evals',
    '//evil.example',
    '#a',
    'ftp://a',
    '',
    'mailto:',
    'https://',
    'a b',
  ])('makes no link of %j', (href) => expect(linkTarget(href)).toBeUndefined());
});

describe('showsHost', () => {
  const target = { href: 'https://a.example/page', host: 'a.example' };

  it.each(['a.example', 'https://a.example/page', 'https://a.example', 'a.example/page'])('of %j', (words) =>
    expect(showsHost(words, target)).toBe(true),
  );

  it.each([
    'here',
    'b.example',
    'https://b.example',
    'https://a.example.b.example',
    'https://a.example@b.example',
    'https://b.example@a.example',
    'a.exampl\u200be',
    '\u202eelpmaxe.a',
    'https://a.example/\u00ad',
    '',
  ])('not of %j', (words) => expect(showsHost(words, target)).toBe(false));
});
