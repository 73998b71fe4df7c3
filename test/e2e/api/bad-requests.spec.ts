import { Api, operator, type Answer, type Json } from '../../support/api';
import { createCaller, type Caller } from '../../support/factories';
import { rawRequest, requestText } from '../../support/raw';
import { TEST_SECRETS } from '../../support/service';
import { worker } from '../../support/worker';

const MAX_ANSWER_BYTES = 20_000;
const HELLO = { prompt: 'Hello', models: ['sim-swift'] };

let caller: Caller;

beforeAll(async () => {
  caller = await createCaller();
});

const reportOf = ({ body }: Answer<Json>) => [body.error.message, body.error.param, body.error.details?.problems];

describe('The response to a bad request', () => {
  it('names everything that is wrong with it, the first problem first', async () => {
    expect(reportOf(await caller.compare({}))).toEqual([
      'prompt is required.',
      'prompt',
      [
        { param: 'prompt', message: 'prompt is required.' },
        { param: 'models', message: 'models is required.' },
      ],
    ]);
    expect(reportOf(await caller.compare({ ...HELLO, models: [''] }))).toEqual([
      'models[0] must not be empty or only white space.',
      'models[0]',
      undefined,
    ]);
    expect(reportOf(await caller.compare({ prompt: 'Hello', model: ['sim-swift'] }))).toEqual([
      'model is not a member of this request; perhaps models was meant.',
      'model',
      [
        { param: 'model', message: 'model is not a member of this request; perhaps models was meant.' },
        { param: 'models', message: 'models is required.' },
      ],
    ]);
    expect(
      reportOf(
        await caller.compare({
          ...HELLO,
          input: null,
          options: { temperature: '1', max_tokens: 0, max_cost_usd: 0.1234567890123 },
        }),
      ),
    ).toEqual([
      'input must be a string.',
      'input',
      [
        { param: 'input', message: 'input must be a string.' },
        { param: 'options.temperature', message: 'options.temperature must be a number from 0 to 2, not a string.' },
        { param: 'options.max_tokens', message: 'options.max_tokens must be a whole number from 1 to 16,384.' },
        { param: 'options.max_cost_usd', message: 'options.max_cost_usd must have at most 12 decimals.' },
      ],
    ]);
    expect(reportOf(await caller.compare({ ...HELLO, options: [{ temperature: 5 }] }))).toEqual([
      'options must be an object.',
      'options',
      undefined,
    ]);
  });

  it('names at most 20 problems, in names of at most 100 characters', async () => {
    const names = Array.from(
      { length: 60 },
      (_, index) => `${index}${'\u0001'.repeat(90)}${'\ud83d\udc18'.repeat(20)}`,
    );
    const answer = await caller.compare({ ...HELLO, ...Object.fromEntries(names.map((name) => [name, 1])) });
    expect(answer.body.error.details.problems).toHaveLength(20);
    for (const { param, message } of answer.body.error.details.problems) {
      expect(param.length).toBeLessThanOrEqual(100);
      expect(message).toBe(`${param} is not a member of this request.`);
      expect(param).toMatch(/^\d+\uFFFD{90}.*…$/u);
    }
    expect(Buffer.byteLength(answer.text)).toBeLessThan(MAX_ANSWER_BYTES);
  });

  it.each([
    ['quotes', '"\\'.repeat(50)],
    ['control characters', '\u0001'.repeat(100)],
    ['emoji', '🐘'.repeat(100)],
    ['one letter', 'x'.repeat(100)],
  ])('stays small about unknown models, however long their ids of %s', async (_, id) => {
    const without = (count: number) => Array.from(id).slice(count).join('');
    const ids = Array.from({ length: 8 }, (__, index) => `${index}${without(1)}`);
    const unknown = await caller.compare({ ...HELLO, models: ids });
    expect([unknown.status, unknown.body.error.code, unknown.body.error.details.unknown_models]).toEqual([
      400,
      'unknown_model',
      ids,
    ]);
    expect(Buffer.byteLength(unknown.text)).toBeLessThan(MAX_ANSWER_BYTES);
    const narrow = await createCaller();
    const allowed = Array.from({ length: 200 }, (__, index) => `${index}${without(3)}`);
    expect((await operator().patch(`/api/v1/admin/keys/${narrow.keyId}`, { allowed_models: allowed })).status).toBe(
      200,
    );
    const forbidden = await narrow.compare(HELLO);
    expect([forbidden.status, forbidden.body.error.details.allowed_models]).toEqual([403, allowed.slice(0, 20)]);
    expect(Buffer.byteLength(forbidden.text)).toBeLessThan(MAX_ANSWER_BYTES);
  });

  it('counts characters as code points, as people do: variation selectors too', async () => {
    expect((await caller.compare({ ...HELLO, prompt: 'x\uFE0F'.repeat(16_001) })).body.error.message).toBe(
      'prompt must not be longer than 32,000 characters.',
    );
  });
});

describe('An amount in a request', () => {
  const adjust = (amount: string, name = 'amount_usd') =>
    operator().post(`/api/v1/admin/users/${caller.userId}/adjustments`, `{"reason":"test","${name}":${amount}}`);

  it.each(['999999999.999999999999', '0.1000000000000001', '123456789012345.6'])(
    'is rejected with more digits than a number keeps: %s',
    async (written) => {
      for (const name of ['amount_usd', 'amount_\\u0075sd']) {
        const { status, body } = await adjust(written, name);
        expect([status, body.error.param, body.error.message]).toEqual([
          400,
          'amount_usd',
          'amount_usd must have at most 15 significant digits.',
        ]);
      }
    },
  );

  it.each(['0', '-0', '0.000', '0e5'])('is rejected where it would adjust nothing: %s', async (written) => {
    const { status, body } = await adjust(written);
    expect([status, body.error.param, body.error.message]).toEqual([400, 'amount_usd', 'amount_usd must not be 0.']);
  });

  it.each([
    ['1.50000000000000000000', '1.5'],
    ['999.999999999999', '999.999999999999'],
    ['1e-12', '0.000000000001'],
    ['-1.25E+1', '-12.5'],
  ])('is read, from %s, as exactly %s', async (written, exactly) => {
    const { status, text } = await adjust(written);
    expect([status, /"amount_usd":([^,}]+)/.exec(text)?.[1]]).toEqual([201, exactly]);
  });
});

describe('A route that needs no body', () => {
  const send = (
    method: string,
    path: string,
    key: string | undefined,
    headers: Record<string, string>,
    body?: string,
  ) => rawRequest(worker().serviceUrl, requestText(method, path, { Authorization: `Bearer ${key}`, ...headers }, body));

  it.each([
    ['no content at all', {}, undefined],
    ['a length of zero', {}, ''],
    ['a content type and nothing of it', { 'Content-Type': 'application/json' }, ''],
    ['an empty object', { 'Content-Type': 'application/json' }, '{}'],
  ])('accepts %s', async (_, headers, body) => {
    const old = await createCaller();
    const rotated = await send(
      'POST',
      `/api/v1/admin/keys/${old.keyId}/rotate`,
      TEST_SECRETS.ADMIN_API_KEY,
      headers,
      body,
    );
    expect(rotated?.status).toBe(201);
    const next = JSON.parse(rotated?.body ?? '') as { id: string; api_key: string };
    expect((await old.get('/api/v1/usage')).status).toBe(401);
    expect(await send('POST', '/api/v1/billing/payment-method', next.api_key, headers, body)).toMatchObject({
      status: 409,
      body: expect.stringContaining('payment_provider_not_configured'),
    });
    const { eval_id: id } = (await new Api(next.api_key).compare(HELLO)).body;
    expect((await send('DELETE', `/api/v1/evals/${id}`, next.api_key, headers, body))?.status).toBe(204);
    expect(
      (await send('DELETE', `/api/v1/admin/keys/${next.id}`, TEST_SECRETS.ADMIN_API_KEY, headers, body))?.status,
    ).toBe(204);
  });

  it('still validates a body that is sent', async () => {
    const { keyId } = await createCaller();
    const rotate = (body: string) => operator().post(`/api/v1/admin/keys/${keyId}/rotate`, body);
    expect((await rotate('null')).body.error.message).toBe('The body must be a JSON object.');
    expect((await rotate('{"overlap_seconds":-1}')).body.error.message).toBe(
      'overlap_seconds must be a whole number from 0 to 604,800.',
    );
    expect((await rotate('{"overlap_seconds":60}')).status).toBe(201);
  });
});
