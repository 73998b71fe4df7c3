import type { Page } from 'playwright-core';
import { onDatabase } from '../support/database';
import { createCaller, eventually, type Caller } from '../support/factories';
import { worker } from '../support/worker';
import { describeInBrowser } from './support/chromium';
import { WebPage } from './support/web-page';
import { UnreliableProxy } from './support/unreliable-proxy';
import { Visit } from './support/visit';

const SHARES = /^\/api\/v1\/shares(\?|$)/;
const NOTHING = 'This link shows nothing';

const refusal = (status: number, message: string) => ({
  answer: {
    status,
    headers: {},
    body: JSON.stringify({ error: { code: 'unavailable', message, request_id: 'req_01test' } }),
  },
});

describeInBrowser('Links to share an eval, on a bad day', () => {
  let caller: Caller;
  let proxy: UnreliableProxy;
  let web: WebPage;
  let page: Page;
  let evalId: string;

  beforeAll(async () => {
    caller = await createCaller();
    proxy = await UnreliableProxy.inFrontOf(caller.url);
    evalId = (
      await caller.post('/api/v1/compare', {
        prompt: 'Say {input}',
        input: 'good night',
        models: ['sim-swift', 'sim-sage'],
      })
    ).body.eval_id as string;
    web = await WebPage.open({ url: proxy.url, key: caller.key, path: `/evals/${evalId}` });
    page = web.page;
  });
  afterEach(() => proxy.clear());
  afterAll(() => web.end());

  const dialog = () => page.getByRole('dialog', { name: 'Share this eval' });
  const openDialog = async (): Promise<void> => {
    await page.goto(`/evals/${evalId}`);
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await dialog().waitFor();
  };
  const make = () => dialog().getByRole('button', { name: 'Create a link' }).click();
  const share = async (redact: string[] = []): Promise<{ id: string; path: string }> => {
    const { body } = await caller.post('/api/v1/shares', { subject: evalId, redact });
    return { id: body.share_id, path: (body.url as string).replace('/api/v1', '') };
  };
  const asNobody = async (path: string, expected: number[] = []): Promise<Visit> => {
    const visit = await Visit.open({ url: proxy.url, expected });
    await visit.page.goto(path);
    return visit;
  };

  it('a link that could not be made says why, and can be made again; the focus is never lost', async () => {
    web.visit.expects(503);
    proxy.next('POST', SHARES, refusal(503, 'Not now.'));
    await openDialog();
    await make();
    await dialog().getByText('Not now.').waitFor();
    await dialog()
      .getByLabel(/the costs/)
      .check();
    await dialog()
      .getByLabel(/the answers/)
      .check();
    await dialog()
      .getByLabel(/the costs/)
      .uncheck();
    await dialog().getByLabel('Expires after').selectOption({ label: 'a week' });
    await make();
    await dialog().getByLabel('The link, shown only now').waitFor();
    const [made] = (await caller.get(`/api/v1/shares?subject=${evalId}`)).body.shares;
    expect([made.redact, (Date.parse(made.expires_at) - Date.parse(made.created_at)) / 86_400_000]).toEqual([
      ['outputs'],
      7,
    ]);
    await dialog().getByRole('button', { name: 'Create another link' }).press('Enter');
    await eventually(
      'the first choice has the focus',
      async () => await page.evaluate(() => document.activeElement?.matches('.new-share fieldset input') === true),
    );
  });

  it('a link that was revoked elsewhere disappears without a message; ended links are not listed; each link shows its views', async () => {
    web.visit.expects(404);
    for (const { share_id: id } of (await caller.get(`/api/v1/shares?subject=${evalId}`)).body.shares)
      await caller.delete(`/api/v1/shares/${id}`);
    const { id, path } = await share(['costs']);
    const visit = await asNobody(path);
    await visit.page.getByRole('heading', { name: 'Shared eval' }).waitFor();
    await visit.end();
    await eventually(
      'the visit is counted',
      async () => (await caller.get(`/api/v1/shares?subject=${evalId}`)).body.shares[0].views === 1,
    );
    await openDialog();
    const line = dialog().getByRole('listitem');
    await line.getByText('hides costs; viewed once').waitFor();
    expect(await line.count()).toBe(1);
    await caller.delete(`/api/v1/shares/${id}`);
    proxy.next('DELETE', /^\/api\/v1\/shares\//, refusal(404, 'No such link.'));
    await line.getByRole('button', { name: 'Revoke' }).press('Enter');
    await line.waitFor({ state: 'detached' });
    await web.untilFocused(/^button Close$/);
  });

  it('a link that could not be revoked stays and shows the reason; a list that failed to load can be loaded again', async () => {
    web.visit.expects(503);
    await share();
    // Pending requests of the previous dialog must not meet this.
    await page.goto(`/evals/${evalId}`);
    proxy.next('GET', SHARES, refusal(503, 'No list now.'));
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await dialog().getByText('No list now.').waitFor();
    await dialog().getByRole('button', { name: 'Try again' }).click();
    const line = dialog().getByRole('listitem');
    await line.getByText('shows everything; not viewed yet').waitFor();
    proxy.next('DELETE', /^\/api\/v1\/shares\//, refusal(503, 'Not taken back.'));
    await line.getByRole('button', { name: 'Revoke' }).click();
    await line.getByText('Not taken back.').waitFor();
  });

  it('an expired link shows what an unknown one shows', async () => {
    const { id, path } = await share();
    await onDatabase(worker().databaseUrl, (client) =>
      client.query("update shares set expires_at = now() - interval '1 second' where id = $1", [id]),
    );
    const visit = await asNobody(path, [404]);
    await visit.page.getByText(NOTHING).waitFor();
    expect(await visit.page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await visit.end();
  });

  it('too many visits, or a service that is down, are no reason to give the link up', async () => {
    const { path } = await share();
    proxy.next('GET', /^\/api\/v1\/shared\//, {
      answer: {
        status: 429,
        headers: { 'retry-after': '3' },
        body: JSON.stringify({
          error: { code: 'rate_limited', message: 'Too many visits.', request_id: 'req_01test' },
        }),
      },
    });
    const visit = await asNobody(path, [429]);
    await visit.page.getByText('Too many visits. The service asks to wait 3 s.').waitFor();
    await visit.page.getByRole('button', { name: 'Try again' }).click();
    await visit.page.getByText('good night', { exact: true }).waitFor();
    await visit.end();
  });

  it('a visitor sees the costs that the link shows, on a phone too, and no line about hidden costs', async () => {
    const [shown, hidden] = [await share(), await share(['costs'])];
    const visit = await asNobody(shown.path);
    await visit.page.setViewportSize({ width: 390, height: 844 });
    await visit.page
      .locator('.summary-figures')
      .getByText(/^\$0\.\d+$/)
      .waitFor();
    await visit.page.goto(hidden.path);
    await visit.page.getByText('The link hides costs').waitFor();
    expect((await visit.page.locator('.summary-figures').innerText()).trim()).toBe('2 of 2');
    await visit.end();
  });

  it('a visit stores nothing in the browser, sends no key that the browser holds, and is disclosed to no other page and no search engine', async () => {
    const { path } = await share();
    const visit = await asNobody(path);
    await visit.page.getByRole('heading', { name: 'Shared eval' }).waitFor();
    expect(await visit.page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie])).toEqual([
      0,
      0,
      '',
    ]);
    await visit.end();

    const asked = page.waitForRequest((request) => request.url().includes('/api/v1/shared/'));
    const answered = await page.goto(path);
    expect(await (await asked).headerValue('authorization')).toBeNull();
    const home = await page.request.get(proxy.url);
    const headers = answered?.headers() ?? {};
    expect([headers['referrer-policy'], headers['x-robots-tag'], headers['content-security-policy']]).toEqual([
      'no-referrer',
      expect.stringContaining('noindex'),
      home.headers()['content-security-policy'],
    ]);
    expect(headers['content-security-policy']).toContain(
      "default-src 'none';script-src 'self';style-src 'self';img-src 'self' data:;connect-src 'self';base-uri 'none'",
    );
  });
});
