import { globSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS } from '../../../src/common/errors';
import { Api } from '../../support/api';
import { rawRequest, requestText } from '../../support/raw';
import { worker } from '../../support/worker';

const FOLDER = join(__dirname, '../../../dist/guide');
const nobody = () => new Api(undefined);
const pages = globSync('**/*.html', { cwd: FOLDER })
  .map((file) => file.replaceAll('\\', '/').replace(/\.html$/, ''))
  .filter((name) => name !== '404')
  .sort();
const addressOf = (name: string) => (name === 'index' ? '/docs/guide' : `/docs/guide/${name}`);
const idsOf = (html: string) => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);

/** The links, pictures and style sheets of a page: address and anchor. */
function targetsOf(address: string, html: string): { path: string; anchor: string | undefined }[] {
  const targets = [...html.matchAll(/ (?:href|src)="([^"]*)"/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^(?:https?|mailto|data):/.test(target));
  return targets
    .map((target) => target.split('#'))
    .map(([path = '', anchor]) => ({ path: path === '' ? address : path, anchor }));
}

describe('The guide', () => {
  it('has a page for every document, whose links and anchors all lead somewhere', async () => {
    expect(pages.length).toBeGreaterThan(40);
    const html = new Map<string, string>();
    for (const name of pages) {
      const { status, headers, text } = await nobody().get(addressOf(name));
      expect([name, status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
        name,
        200,
        'text/html; charset=utf-8',
        'no-cache',
      ]);
      expect([name, new Set(idsOf(text)).size]).toEqual([name, idsOf(text).length]);
      html.set(addressOf(name), text);
    }
    const links = [...html].flatMap(([address, text]) =>
      targetsOf(address, text).map((target) => ({ address, ...target })),
    );
    for (const path of new Set(links.map((link) => link.path).filter((path) => !html.has(path))))
      expect([path, (await nobody().get(path)).status]).toEqual([path, 200]);
    expect(
      links.filter(({ path, anchor }) => anchor !== undefined && !idsOf(html.get(path) ?? '').includes(anchor)),
    ).toEqual([]);
  });

  it('has an anchor for every error code', async () => {
    const ids = idsOf((await nobody().get('/docs/guide/errors')).text);
    expect(Object.keys(ERRORS).filter((code) => !ids.includes(code))).toEqual([]);
  });

  it('runs no script, and asks for one style sheet, which browsers keep', async () => {
    const { text, headers } = await nobody().get('/docs/guide/errors');
    expect(headers.get('content-security-policy')).toContain("script-src 'none'");
    expect(text).not.toMatch(/<script|<style| style=| on\w+=|javascript:/);
    const styles = [...text.matchAll(/<link rel="stylesheet" href="([^"]+)"/g)].map(([, path = '']) => path);
    expect(styles).toHaveLength(1);
    expect((await nobody().get(styles[0] ?? '')).headers.get('cache-control')).toContain('immutable');
  });

  it.each(['/errors/', '/Errors', '//errors', '/errors.html', '/ERRORS.HTML', '/decisions/'])(
    'leads from %s to the page',
    async (path) => {
      const { status, headers } = await fetch(`${worker().serviceUrl}/docs/guide${path}`, { redirect: 'manual' });
      expect([status, headers.get('location')]).toEqual([
        308,
        path.startsWith('/dec') ? '/docs/guide/decisions' : '/docs/guide/errors',
      ]);
    },
  );

  it.each([
    '/nothing',
    '/404',
    '/..',
    '/../../package.json',
    '/%2e%2e/%2e%2e/package.json',
    '/..%2f..%2fpackage.json',
    '/%00',
    '/errors%00.html',
    '/errors%2ehtml',
    '/\\..\\x',
    '/constructor',
    '/__proto__',
    '/decisions/../errors',
    `/${'a'.repeat(2000)}`,
  ])('answers %s with a page that says so', async (path) => {
    const answer = await rawRequest(worker().serviceUrl, requestText('GET', `/docs/guide${path}`));
    expect([answer?.status, answer?.body.includes('There is no guide at this address')]).toEqual([404, true]);
    const head = await rawRequest(worker().serviceUrl, requestText('HEAD', `/docs/guide${path}`));
    expect([head?.status, head?.body]).toEqual([404, '']);
  });

  it('allows only reads', async () => {
    const { status, headers } = await nobody().call('POST', '/docs/guide/errors');
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it('is listed in llms.txt, with every document as Markdown', async () => {
    const { status, headers, text } = await nobody().get('/llms.txt');
    expect([status, headers.get('content-type'), text.startsWith('# Model Comparison Service\n\n> ')]).toEqual([
      200,
      'text/plain; charset=utf-8',
      true,
    ]);
    const targets = [...text.matchAll(/^- \[[^\]]+\]\(([^)]+)\): ./gm)].map(([, target = '']) => target);
    expect(targets).toContain('/docs-json');
    for (const target of targets) expect([target, (await nobody().get(target)).status]).toEqual([target, 200]);
    const listed = targets.map((target) => target.replace(/^\/docs\/guide\/|\.md$/g, ''));
    expect(
      pages.filter((name) => name !== 'index' && !name.startsWith('decisions/') && !listed.includes(name)),
    ).toEqual([]);
  });
});
