import type { Page, Route } from 'playwright-core';
import { createCaller, type Caller } from '../support/factories';
import type { Json } from '../support/api';
import { describeInBrowser } from './support/chromium';
import { look } from './support/look';
import { Visit } from './support/visit';
import { WebPage } from './support/web-page';

const MODELS = ['sim-swift', 'sim-sage'];
const ANSWER = 'Oslo, as I said. '.repeat(30).trim();
const TURNS = [
  { role: 'user', content: 'Which city do you mean? Answer in one word.' },
  { role: 'assistant', content: '<img src=x onerror=alert(1)> {input}' },
];

describeInBrowser('A conversation', () => {
  let caller: Caller;
  let web: WebPage;
  let page: Page;
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const goOn = (model: string) => web.answer(model).getByRole('button', { name: 'Continue with this answer' }).click();
  const textOf = (turn: number) => page.getByLabel(`Text of turn ${turn}`, { exact: true });
  const newest = async (): Promise<Json> => {
    const { body } = await caller.get('/api/v1/evals?limit=1');
    return (await caller.get(`/api/v1/evals/${body.evals[0].eval_id}?include=details`)).body;
  };

  beforeAll(async () => {
    caller = await createCaller({ hasPaymentMethod: true });
    web = await WebPage.open({ url: caller.url, key: caller.key, expected: [400] });
    page = web.page;
  });
  afterAll(() => web.end());

  it('is written turn by turn, from the keyboard, and kept over a reload', async () => {
    await web.fill({ prompt: `[[sim:say=${ANSWER}]] {input}?`, input: 'Sure', models: MODELS });
    await web.openTurns();
    for (const [index, { content }] of TURNS.entries()) {
      await button('Add turn').press('Enter');
      await web.untilFocused(new RegExp(`^textarea Text of turn ${index + 1}$`));
      await page.keyboard.type(content);
    }
    await button('Add turn').click();
    await web.run();
    await web.untilFocused(/^details Earlier turns$/);
    await page.getByText('Turn 3 is empty. Write it, or remove it.').waitFor();
    expect(await look(page, 'conversation-form')).toEqual([]);
    await button('Remove turn 3').click();
    await web.untilFocused(/^button Add turn$/);
    await page.reload();
    await web.openTurns();
    expect(await textOf(2).inputValue()).toBe(TURNS[1]?.content);
  });

  it('is sent, stored, and shown as text above the answers', async () => {
    await web.run();
    await web.untilEnded(MODELS.length);
    const { eval_id: id, details } = await newest();
    expect(details.options.history).toEqual(TURNS);
    await page.goto(`/evals/${id}`);
    await page.getByText('Earlier turns (2)').click();
    const shown = await page.getByRole('group', { name: 'Earlier turns' }).innerText();
    expect(shown).toMatch(/^User\s+Which city[^]*Assistant\s+<img src=x onerror=alert\(1\)> {input}$/);
    expect(await look(page, 'conversation-eval')).toEqual([]);
  });

  it('goes on after an answer, with what was sent', async () => {
    await goOn('sim-sage');
    await web.untilFocused(/^textarea field-prompt$/);
    await page.getByText('The conversation is in the form. Write the next prompt.').waitFor({ state: 'attached' });
    await page.keyboard.type('And the next one? [[sim:say=Bergen]]');
    await web.run();
    await web.untilEnded(MODELS.length);
    const { prompt, models, details } = await newest();
    expect([prompt, models, details.input]).toEqual(['And the next one? [[sim:say=Bergen]]', MODELS, null]);
    expect(details.options.history).toEqual([
      TURNS[0],
      { role: 'assistant', content: '<img src=x onerror=alert(1)> Sure' },
      { role: 'user', content: `[[sim:say=${ANSWER}]] Sure?` },
      { role: 'assistant', content: ANSWER },
    ]);
    await goOn('sim-swift');
    await page.getByText('6 turns', { exact: true }).waitFor();
  });

  it.each([[[]], [['prompt']]])('has its turns in a link unless %j has the prompt, and ends there', async (redact) => {
    const { body } = await caller.post('/api/v1/shares', { subject: (await newest()).eval_id, redact });
    const visit = await Visit.open({ url: caller.url });
    const answer = async (route: Route) =>
      route.fulfill({ json: { ...(await (await route.fetch()).json()), history: TURNS } });
    if (redact.length === 0) await visit.page.route('**/api/v1/shared/*', answer);
    await visit.page.goto(body.url);
    await visit.page.getByRole('article', { name: 'sim-swift' }).waitFor();
    expect(await visit.page.getByText('Earlier turns').count()).toBe(1 - redact.length);
    expect(await visit.page.getByRole('button', { name: /^Continue/ }).count()).toBe(0);
    await visit.end();
  });

  it('goes on after the answer that is shown of several', async () => {
    const request = { prompt: '[[sim:vary=20]] A city?', models: ['sim-swift'], options: { samples: 6 } };
    const { body } = await caller.compare(request);
    const other = body.results.findIndex(({ output }: Json) => output !== body.results[0].output);
    await page.goto(`/evals/${body.eval_id}`);
    await web.answer('sim-swift').getByRole('combobox').selectOption(String(other));
    await goOn('sim-swift');
    await web.openTurns();
    expect(await textOf(2).inputValue()).toBe(body.results[other].output);
  });

  it('has at most 100 turns, and says where the service refuses one', async () => {
    await page.goto(`/#prompt=Hi${'&user=Hi'.repeat(101)}`);
    await page.getByText('The link has 101 earlier turns; the limit is 100. They were ignored.').waitFor();
    await page.goto(`/#prompt=Hi${'&user=Hi'.repeat(100)}`);
    await web.openTurns();
    await page.getByRole('button', { name: 'Add turn', disabled: true }).waitFor();
    await textOf(3).fill('x'.repeat(160_001));
    await web.run();
    await page.locator('#field-history-problem').getByText('Turn 3: content must ').waitFor();
  });
});
