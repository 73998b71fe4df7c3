import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import type { Json } from '../support/api';
import { operationsOf } from '../support/api-document';
import { createCaller, eventually, type Caller } from '../support/factories';
import { TEST_SECRETS } from '../support/service';
import { axeViolations } from './support/axe';
import { describeInBrowser } from './support/chromium';
import { sidewaysOverflow } from './support/layout';
import { screenshot } from './support/screenshots';
import { Visit, type VisitOptions } from './support/visit';
import { countLoaded } from './support/wire-bytes';

const MAX_BYTES = 600_000;
/** Elements that Swagger UI itself renders are out of scope. */
const OURS = ['header.page', 'nav.groups'];
/** It says so of every link to an operation whose id has an underscore, and opens it. */
const SWAGGER_UI_ON_LINKS = /^Deprecated: escaping deep link whitespace/;

let caller: Caller;
beforeAll(async () => {
  caller = await createCaller();
});

/** Opens the page and waits until every operation is listed. */
async function openDocs(options: Partial<VisitOptions> = {}): Promise<Visit> {
  const visit = await Visit.open({ url: caller.url, tolerated: SWAGGER_UI_ON_LINKS, ...options });
  await visit.page.goto('/docs');
  await operation(visit.page, 'admin', 'admin_listAuditEntries').waitFor({ timeout: 60_000 });
  return visit;
}

function operation(page: Page, tag: string, id: string): Locator {
  return page.locator(`#operations-${tag}-${id}`);
}

/**
 * The API document with one group of operations. Swagger UI resolves all operations whenever one is opened, so that
 * opening all in the whole document takes minutes.
 */
function groupOf(document: Json, tag: string): Json {
  const paths = Object.fromEntries(
    Object.entries<Json>(document.paths).map(([path, item]) => [
      path,
      Object.fromEntries(Object.entries<Json>(item).filter(([, { tags }]) => tags.includes(tag))),
    ]),
  );
  return { ...document, paths };
}

async function authorize(page: Page, scheme: 'apiKey' | 'operator', key: string): Promise<void> {
  await page.locator('.scheme-container').getByRole('button', { name: 'Authorize' }).click();
  const form = page.locator('.auth-container', { hasText: scheme });
  await form.getByRole('textbox').fill(key);
  await form.getByRole('button', { name: 'Apply credentials' }).click();
  await page.getByRole('button', { name: 'Close', exact: true }).first().click();
}

/** Opens an operation, executes it after `fill`, and gives the status and the body that Swagger UI shows. */
async function execute(
  page: Page,
  [tag, id]: readonly [string, string],
  fill?: (block: Locator) => Promise<unknown>,
): Promise<{ status: string; body: string; block: Locator }> {
  const block = operation(page, tag, id);
  if ((await block.locator('.opblock-body').count()) === 0) await block.locator('.opblock-summary-control').click();
  await fill?.(block);
  await block.getByRole('button', { name: 'Execute' }).click();
  const live = block.locator('.live-responses-table tbody tr.response');
  await live.waitFor();
  return {
    status: (await live.locator('.response-col_status').innerText()).trim(),
    body: await live.locator('.response-col_description').innerText(),
    block,
  };
}

describeInBrowser('Swagger UI', () => {
  it("with a pasted key compares, lists, gets, reports usage and gives the statement as CSV, and with the operator's key lists users", async () => {
    const visit = await openDocs();
    const { page } = visit;
    await authorize(page, 'apiKey', caller.key ?? '');
    const compared = await execute(page, ['compare', 'compare_run']);
    expect(compared.status).toMatch(/^200/);
    const id = /eval_[0-9a-z]{20,}/.exec(compared.body)?.[0] ?? '';
    const listed = await execute(page, ['evals', 'evals_list']);
    expect(listed).toMatchObject({ status: expect.stringMatching(/^200/), body: expect.stringContaining(id) });
    const found = await execute(page, ['evals', 'evals_get'], (block) => block.getByPlaceholder('id').fill(id));
    expect(found).toMatchObject({ status: expect.stringMatching(/^200/), body: expect.stringContaining(id) });
    const usage = await execute(page, ['usage', 'usage_get']);
    expect(usage).toMatchObject({ status: expect.stringMatching(/^200/), body: expect.stringContaining(caller.email) });
    const statement = await execute(page, ['usage', 'usage_statement'], (block) =>
      block.locator('.content-type').first().selectOption('text/csv'),
    );
    expect(statement.status).toMatch(/^200/);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      statement.block.getByText('Download file').click(),
    ]);
    expect(readFileSync(await download.path(), 'utf8')).toBe(
      (await caller.get('/api/v1/usage/statement', { headers: { accept: 'text/csv' } })).text,
    );

    await authorize(page, 'operator', TEST_SECRETS.ADMIN_API_KEY);
    const users = await execute(page, ['admin', 'admin_listUsers']);
    // Other specs have made users too, more than a page of them.
    expect(users).toMatchObject({
      status: expect.stringMatching(/^200/),
      body: expect.stringMatching(/"users": \[\s+\{\s+"id": "user_/),
    });
    await screenshot(page, 'swagger-ui-executed-1280');

    await page.reload();
    await operation(page, 'admin', 'admin_listUsers').waitFor({ timeout: 60_000 });
    expect(
      await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])),
    ).toBe('[{},{},""]');
    visit.expects(401);
    expect((await execute(page, ['models', 'models_list'])).status).toMatch(/^401/);
    await visit.end();
  });

  it('shows an operation in few screens: errors and headers are folded, and lead to their description', async () => {
    const visit = await openDocs();
    const { page } = visit;
    for (const [tag, id, most] of [
      ['compare', 'compare_run', 4500],
      ['evals', 'evals_list', 2200],
      ['evals', 'evals_erase', 1500],
    ] as const) {
      const block = operation(page, tag, id);
      await block.locator('.opblock-summary-control').click();
      await block.locator('details.folded').last().waitFor();
      const { height = Infinity } = (await block.boundingBox()) ?? {};
      expect([id, height <= most, Math.round(height)]).toEqual([id, true, expect.any(Number)]);
    }
    const errors = operation(page, 'compare', 'compare_run').locator('details.folded', { hasText: /^Errors/ });
    await errors.locator('summary').click();
    expect(await errors.innerText()).toMatch(/402\s+payment_required .*\s+spend_limit_reached/);
    await Promise.all([
      page.waitForURL('**/docs/guide/errors#max_cost_exceeded'),
      errors.getByRole('link', { name: 'max_cost_exceeded', exact: true }).click(),
    ]);
    await visit.end();
  });

  it('lists the groups of operations, whose links open them, also in another tab', async () => {
    const visit = await openDocs();
    const { page } = visit;
    const groups = page.getByRole('navigation', { name: 'Groups of operations' });
    // They come after the operations.
    await groups.getByRole('link').last().waitFor();
    expect(await groups.getByRole('link').allInnerTexts()).toEqual([
      'compare',
      'evals',
      'checks',
      'datasets',
      'experiments',
      'runs',
      'shares',
      'models',
      'key',
      'usage',
      'billing',
      'admin',
    ]);
    await groups.getByRole('link', { name: 'usage' }).click();
    await eventually('the group is at the top', () =>
      page.locator('#operations-tag-usage').evaluate((tag) => Math.abs(tag.getBoundingClientRect().top) < 100),
    );
    expect(new URL(page.url()).hash).toBe('#/usage');
    await visit.end();
  });

  it('is readable on a phone: with every operation open nothing is wider than the screen', async () => {
    const visit = await openDocs({ width: 390, touch: true });
    const { page } = visit;
    await authorize(page, 'apiKey', caller.key ?? '');
    expect((await execute(page, ['compare', 'compare_run'])).status).toMatch(/^200/);
    expect(await sidewaysOverflow(page)).toEqual({ pixels: 0, elements: [] });
    await screenshot(page, 'swagger-ui-executed-390');
    const document = (await caller.get('/docs-json')).body;
    const opened: string[] = [];
    for (const tag of new Set(operationsOf(document).flatMap(({ tags }) => tags as string[]))) {
      await page.route('**/docs-json', (route) => route.fulfill({ json: groupOf(document, tag) }), { times: 1 });
      await page.goto('about:blank');
      await page.goto('/docs');
      await page.locator('.opblock').first().waitFor({ timeout: 60_000 });
      const controls = page.locator('.opblock:not(.is-open) .opblock-summary-control');
      await controls.evaluateAll((all) => all.forEach((control) => (control as HTMLElement).click()));
      const blocks = page.locator('.opblock');
      const count = await blocks.count();
      await page
        .locator('.responses-inner')
        .nth(count - 1)
        .waitFor({ timeout: 60_000 });
      expect([tag, await sidewaysOverflow(page)]).toEqual([tag, { pixels: 0, elements: [] }]);
      opened.push(...(await blocks.evaluateAll((all) => all.map(({ id }) => id))));
      await screenshot(page, `swagger-ui-open-${tag}-390`);
    }
    expect(opened.length).toBeGreaterThan(50);
    expect(opened.sort()).toEqual(
      operationsOf(document)
        .map(({ tags, operationId }) => `operations-${tags[0]}-${operationId}`)
        .sort(),
    );
    await visit.end();
  }, 400_000);

  it('brings at most 600 kB, and on the second visit only the page and the document', async () => {
    const visit = await Visit.open({ url: caller.url });
    const first = await countLoaded(visit.page);
    await visit.page.goto('/docs');
    await operation(visit.page, 'admin', 'admin_listAuditEntries').waitFor({ timeout: 60_000 });
    const cold = await first.stop();
    process.stdout.write(`Swagger UI: ${cold.bytes} bytes over the wire at the first visit`);
    expect(cold.bytes).toBeLessThanOrEqual(MAX_BYTES);
    expect(cold.fromService.filter((line) => !line.startsWith('200 '))).toEqual([]);
    const second = await countLoaded(visit.page);
    await visit.page.goto('about:blank');
    await visit.page.goto('/docs');
    await operation(visit.page, 'admin', 'admin_listAuditEntries').waitFor({ timeout: 60_000 });
    const warm = await second.stop();
    process.stdout.write(`, ${warm.bytes} at the second.\n`);
    expect(warm.fromService.map((line) => line.slice(4)).sort()).toEqual(['/docs', '/docs-json']);
    expect(warm.fromCache).toHaveLength(4);
    await visit.end();
  });

  it('has nothing that axe finds in our part of it, in light and dark, on a desk and on a phone', async () => {
    const visit = await openDocs();
    const { page } = visit;
    for (const theme of ['light', 'dark'] as const) {
      for (const width of [1280, 390]) {
        await page.emulateMedia({ colorScheme: theme });
        await page.setViewportSize({ width, height: 844 });
        expect([theme, width, await axeViolations(page, { within: OURS })]).toEqual([theme, width, []]);
        await screenshot(page, `swagger-ui-${width}-${theme}`);
      }
    }
    await visit.end();
  });
});
