import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { endAll } from '../../../test/support/cleanup';
import { startModelsApi } from '../../../test/support/models-api';
import { listModels } from './list-models';

afterAll(endAll);

const TODAY = '2026-11-24';

async function ask(vendor: string, answer: unknown, timeoutMs = 5000) {
  const baseUrl = await startModelsApi({ '/models': answer, '/v1/models': answer });
  return listModels(vendor, { apiKey: ' sk-0123456789\n', baseUrl }, TODAY, AbortSignal.timeout(timeoutMs));
}

describe('listModels', () => {
  test('reads names and announced ends from OpenAI, and calls a model retired from its last day on', async () => {
    const models = await ask('openai', {
      object: 'list',
      data: [
        { id: 'gpt-a', object: 'model', created: 1, owned_by: 'openai', shutdown_date: null, unknown: { deep: [1] } },
        { id: 'gpt-b', shutdown_date: '2026-12-11' },
        { id: 'gpt-c', shutdown_date: '2026-11-24T00:00:00Z' },
        { id: 'gpt-d', shutdown_date: 'soon' },
        { id: 'gpt-e', expiration_date: '2026-11-20' },
      ],
    });
    expect(models.map(({ listedSince }) => listedSince)).toEqual([
      '1970-01-01',
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(models.map(({ id, end, isRetired }) => [id, end, isRetired])).toEqual([
      ['gpt-a', undefined, false],
      ['gpt-b', '2026-12-11', false],
      ['gpt-c', '2026-11-24', true],
      ['gpt-d', undefined, false],
      ['gpt-e', '2026-11-20', false],
    ]);
  });

  test('reads lifecycle, limits and efforts from Anthropic, page by page, and asks for retired models as well', async () => {
    const requests: IncomingMessage[] = [];
    const claude = {
      id: 'claude-a',
      display_name: 'Claude A',
      lifecycle: 'deprecated',
      created_at: '2026-11-09T00:00:00Z',
      retires_at: '2026-12-01T00:00:00Z',
      max_tokens: 64_000,
      max_input_tokens: 200_000,
      type: 'model',
      capabilities: {
        effort: {
          supported: true,
          low: { supported: true },
          high: { supported: true },
          max: { supported: false },
          xhigh: null,
        },
        structured_outputs: { supported: true },
        thinking: { supported: true, types: { disabled: { supported: false } } },
      },
    };
    const models = await ask('anthropic', (request: IncomingMessage, response: ServerResponse) => {
      requests.push(request);
      const isFirst = requests.length === 1;
      response
        .setHeader('content-type', 'application/json')
        .end(
          JSON.stringify(
            isFirst
              ? { data: [claude], has_more: true, first_id: 'claude-a', last_id: 'claude-a' }
              : { data: [{ id: 'claude-b', lifecycle: 'retired', capabilities: null }], has_more: false },
          ),
        );
    });
    expect(models).toEqual([
      expect.objectContaining({
        id: 'claude-a',
        name: 'Claude A',
        listedSince: '2026-11-09',
        end: '2026-12-01',
        isRetired: false,
        contextWindow: 200_000,
        maxOutputTokens: 64_000,
        efforts: ['low', 'high'],
        isMandatory: true,
        takesSchemas: true,
      }),
      expect.objectContaining({ id: 'claude-b', isRetired: true, efforts: undefined }),
    ]);
    const [first, second] = requests.map(({ url = '' }) => new URL(url, 'http://here').searchParams);
    expect([first?.getAll('lifecycle[]') ?? [], second?.get('after_id')].flat()).toEqual([
      'active',
      'deprecated',
      'retired',
      'claude-a',
    ]);
    expect(requests[0]?.headers.authorization).toBe('Bearer sk-0123456789');
  });

  test('reads prices without rounding, efforts and limits from OpenRouter', async () => {
    const [model, odd] = await ask('openrouter', {
      data: [
        {
          id: 'moonshotai/kimi-k3',
          name: 'Kimi K3',
          context_length: 262_144,
          top_provider: { max_completion_tokens: 32_000 },
          expiration_date: '2027-01-01',
          supported_parameters: ['temperature', 'structured_outputs'],
          pricing: { prompt: '0.0000005500000001', completion: '0.000003', input_cache_read: '0' },
          reasoning: { supported_efforts: ['high', 'LOW', 7], default_effort: 'high', mandatory: false },
        },
        {
          id: 'odd',
          pricing: { prompt: '-1', completion: 'NaN', input_cache_read: -1, input_cache_write: '1e300' },
          reasoning: { supported_efforts: null, default_effort: 'ultra', mandatory: 'yes' },
          context_length: -5,
          top_provider: 7,
        },
      ],
    });
    expect(model).toMatchObject({
      contextWindow: 262_144,
      maxOutputTokens: 32_000,
      end: '2027-01-01',
      isRetired: false,
      efforts: ['high'],
      defaultEffort: 'high',
      isMandatory: false,
      takesTemperature: true,
      takesSchemas: true,
      prices: [{ input: '0.5500000001', output: '3', cachedInput: '0', cacheWrite: undefined }],
    });
    expect(odd).toEqual({
      id: 'odd',
      isRetired: false,
      prices: [{ input: 'unreadable', output: 'unreadable', cachedInput: 'unreadable', cacheWrite: 'unreadable' }],
    });
  });

  const json =
    (body: unknown, status = 200) =>
    (_: IncomingMessage, response: ServerResponse) =>
      void response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(typeof body === 'string' ? body : JSON.stringify(body));
  test.each<[string, unknown, string]>([
    [
      'HTML',
      (_: IncomingMessage, response: ServerResponse) =>
        void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>sk-0123456789</html>'),
      'answers no list of models',
    ],
    ['HTML that claims to be JSON', json('<html>sk-0123456789</html>'), 'answers no JSON'],
    ['an error that quotes the key', json({ error: { message: 'sk-0123456789' } }, 500), 'answers 500'],
    ['a refused key', json({}, 401), 'answers 401'],
    [
      'a redirect to elsewhere',
      (_: IncomingMessage, response: ServerResponse) =>
        void response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
      'answers 302',
    ],
    ['an empty list', json({ data: [] }), 'answers no list of models'],
    ['null', json('null'), 'answers no list of models'],
    ['an object for the list', json({ data: { id: 'x' } }), 'answers no list of models'],
    [
      'models without names',
      json({ data: [null, 7, 'x', { id: 7 }, { id: '' }, { id: 'x'.repeat(201) }] }),
      'answers no list of models',
    ],
    [
      'pages without end',
      json({ data: [{ id: 'x' }], has_more: true, last_id: 'x' }),
      'lists more than 20 pages or 10000 models',
    ],
    [
      'too many models',
      json({ data: Array.from({ length: 10_001 }, () => ({ id: 'x' })) }),
      'lists more than 20 pages or 10000 models',
    ],
    [
      'a body without end',
      (_: IncomingMessage, response: ServerResponse) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const pour = () => {
          while (!response.destroyed && response.write(Buffer.alloc(1 << 20, ' ')));
        };
        response.on('drain', pour);
        pour();
      },
      'answers more than 16384 kB',
    ],
    ['silence', () => undefined, 'does not answer in time'],
    [
      'a slow body',
      async (_: IncomingMessage, response: ServerResponse) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        while (!response.destroyed) {
          response.write(' ');
          await delay(20);
        }
      },
      'does not answer in time',
    ],
  ])('fails in bounded time and without a word of the vendor at %s', async (_, answer, reason) => {
    // Only silence and a slow body have to reach the deadline.
    await expect(ask('anthropic', answer, reason === 'does not answer in time' ? 1000 : 60_000)).rejects.toMatchObject({
      message: reason,
    });
  });

  test('fails where nothing listens', async () => {
    await expect(
      listModels('openai', { apiKey: 'k', baseUrl: 'http://127.0.0.1:9' }, TODAY, AbortSignal.timeout(1000)),
    ).rejects.toThrow('is not reachable');
  });
});
