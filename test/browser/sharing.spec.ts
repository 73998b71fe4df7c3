import { operator } from '../support/api';
import { createCaller, eventually, type Caller } from '../support/factories';
import { describeInBrowser } from './support/chromium';
import { look } from './support/look';
import { WebPage } from './support/web-page';
import { Visit } from './support/visit';

const MODELS = ['sim-swift', 'sim-sage'];
const PROMPT = '[[sim:vary=3]] A secret question of ours?';

describeInBrowser('An eval that is shared', () => {
  let caller: Caller;
  let web: WebPage;
  const found: string[] = [];

  beforeAll(async () => {
    caller = await createCaller();
    web = await WebPage.open({ url: caller.url, key: caller.key });
    await web.compare({ prompt: PROMPT, models: MODELS });
  });
  afterEach(() => expect(found.splice(0)).toEqual([]));
  afterAll(() => web.end());

  /** Makes a link in the dialog; gives its address. */
  async function share(...hidden: RegExp[]): Promise<string> {
    const { page } = web;
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Share this eval' });
    for (const label of hidden) await dialog.getByLabel(label).check();
    await dialog.getByLabel('Expires after').selectOption('7');
    await dialog.getByRole('button', { name: 'Create a link' }).click();
    const link = dialog.getByLabel('The link, shown only now');
    await link.waitFor();
    await eventually('the link has the focus', async () => (await web.focused()) === 'input share-link');
    return await link.inputValue();
  }

  /** Somebody without a key opens it. */
  async function openAsNobody(url: string): Promise<Visit> {
    const visit = await Visit.open({ url: caller.url, expected: [404] });
    await visit.page.goto(url);
    return visit;
  }

  it('is shown to people without a key at the address that the dialog gives, with everything that they may see and nothing to change', async () => {
    const url = await share();
    expect(url).toMatch(new RegExp(`^${caller.url}/shared/mcs_share_\\w+$`));
    found.push(...(await look(web.page, 'share-dialog')));
    await web.page.keyboard.press('Escape');
    const visit = await openAsNobody(url);
    const { page } = visit;
    await page.getByRole('heading', { level: 1, name: 'Shared eval' }).waitFor();
    await page.getByText('A secret question of ours?').waitFor();
    for (const model of MODELS) await page.getByRole('article', { name: model }).waitFor();
    await page.getByText('The link shows everything and expires').waitFor();
    await page.getByText('Do the models agree?').click();
    await page.getByRole('table', { name: /How often two models agree/ }).waitFor();
    for (const name of ['Share', 'Link', 'Edit and run', 'Erase'])
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);
    expect(visit.requested.filter((path) => path.startsWith('/api/'))).toEqual([
      expect.stringMatching(/^\/api\/v1\/shared\/mcs_share_\w+$/),
    ]);
    found.push(...(await look(page, 'shared')));
    await visit.end();
  });

  it('hides on the page what the link leaves out, and a link that is taken back shows nothing', async () => {
    const url = await share(/prompt/, /the answers/, /the costs/, /names of the models/);
    const { page: own } = web;
    const line = own.getByRole('listitem').filter({ hasText: 'hides prompt, answers, costs, names of the models' });
    await line.waitFor();
    const visit = await openAsNobody(url);
    const { page } = visit;
    await page.getByRole('article', { name: 'Model A' }).waitFor();
    expect(await page.getByText('The link hides this answer.').count()).toBe(2);
    const text = await page.locator('body').innerText();
    for (const secret of ['secret question', ...MODELS, '$'])
      expect([secret, text.includes(secret)]).toEqual([secret, false]);
    found.push(...(await look(page, 'shared-blind')));
    await line.getByRole('button', { name: 'Revoke' }).click();
    await line.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByText('This link shows nothing').waitFor();
    found.push(...(await look(page, 'shared-nothing')));
    await visit.end();
    await own.keyboard.press('Escape');
  });

  it('is not found at a malformed address', async () => {
    const visit = await openAsNobody('/shared/%3Cimg%20src=x%20onerror=alert(1)%3E');
    await visit.page.getByText('This link shows nothing').waitFor();
    await visit.end();
  });

  it('cannot be shared with a key that lacks the scope, and the dialog says which', async () => {
    const issued = await operator().post(`/api/v1/admin/users/${caller.userId}/keys`, {
      name: 'reads only',
      scopes: ['compare', 'models:read', 'evals:read'],
    });
    const tab = await web.anotherTab(issued.body.api_key);
    await tab.page.goto(`/evals/${(await caller.get('/api/v1/evals?limit=1')).body.evals[0].eval_id}`);
    await tab.page.getByRole('button', { name: 'Share', exact: true }).click();
    await tab.page.getByText('This key lacks the scope').waitFor();
    await eventually('the scope is named', async () =>
      (await tab.page.getByRole('dialog').innerText()).includes('shares'),
    );
    await tab.page.close();
  });
});
