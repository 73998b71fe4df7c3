import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { SdkRequests } from './sdk-request';

const openai = new OpenAI({ apiKey: 'k', baseURL: 'https://vendor.test/v1?tenant=a', maxRetries: 0, timeout: 1000 });
const anthropic = new Anthropic({ apiKey: 'k', baseURL: 'https://vendor.test', openTelemetry: false, maxRetries: 0, timeout: 1000 });
const OLDER = { 'anthropic-version': '2023-06-01', authorization: null, 'x-api-key': 'k' };

const BODIES = [{ model: 'm', messages: [{ role: 'user', content: 'é\u2028"' }], stream: true, temperature: undefined }, { model: 'another', max_tokens: 7, messages: [] }];

describe('the heads of requests', () => {
  test.each([
    ['openai', openai, '/chat/completions', undefined],
    ['anthropic', anthropic, '/v1/messages', undefined],
    ['anthropic in an older version', anthropic, '/v1/messages', OLDER],
  ])('%s: are what the SDK makes for any body, which is plain JSON', async (_name, client, path, headers) => {
    const requests = new SdkRequests(client, path);
    for (const body of BODIES) {
      const { req, url } = await client.buildRequest({ method: 'post', path, body, ...(headers && { headers }) });
      const head = await requests.head(headers);
      expect(head.origin + head.path).toBe(url);
      expect(head.headers).toEqual(Object.fromEntries(req.headers));
      expect(req.body).toBe(JSON.stringify(body));
    }
  });

  test('are built once for each kind', async () => {
    const built: (object | undefined)[] = [];
    const requests = new SdkRequests({
      buildRequest: async ({ headers }) => {
        built.push(headers);
        return { req: { headers: new Headers() }, url: 'https://vendor.test/' };
      },
    }, '/');
    const heads = [await requests.head(), await requests.head(OLDER), await requests.head(), await requests.head(OLDER)];
    expect(built).toEqual([{}, OLDER]);
    expect(heads[2]).toBe(heads[0]);
    expect(heads[3]).toBe(heads[1]);
  });
});
