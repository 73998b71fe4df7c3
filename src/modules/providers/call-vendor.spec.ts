import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { AnthropicProvider } from './anthropic/anthropic.provider';
import { OpenAiProvider } from './openai/openai.provider';
import type { CompletionRequest, Provider } from './provider';
import { MAX_ERROR_BODY_BYTES } from './response-limits';
import { HttpTransport } from './transport/http-transport';

const REQUEST: CompletionRequest = {
  model: 'm',
  prompt: 'hello',
  maxTokens: 5,
  temperature: undefined,
  isStreamed: true,
  dialect: { maxTokensField: 'max_tokens' },
};
const ERROR_BODY = JSON.stringify({ type: 'error', error: { type: 'rate_limit_error', message: 'slow down' } });

describe.each(['openai', 'anthropic'] as const)('A call of %s', (vendor) => {
  let server: Server;
  let answer: (response: ServerResponse) => void;
  let requests = 0;
  const transport = new HttpTransport();
  let provider: Provider;

  beforeAll(async () => {
    server = createServer((_request, response) => {
      requests += 1;
      answer(response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const access = { apiKey: 'k', baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
    provider =
      vendor === 'openai' ? new OpenAiProvider('openai', transport, access) : new AnthropicProvider(transport, access);
  });
  beforeEach(() => {
    requests = 0;
  });
  afterAll(async () => {
    await transport.onApplicationShutdown();
    server.closeAllConnections();
    server.close();
  });

  const call = (signal = new AbortController().signal) => provider.complete(REQUEST, signal, () => undefined);

  async function connections(): Promise<number> {
    return new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
  }

  /** Waits until the vendor has no connection left. */
  async function disconnected(): Promise<void> {
    while ((await connections()) > 0) await new Promise((resolve) => setImmediate(resolve));
  }

  test('maps an error by its body, and passes on how long to wait', async () => {
    answer = (response) =>
      void response.writeHead(400, { 'content-type': 'application/json', 'retry-after': '7' }).end(ERROR_BODY);
    await expect(call()).rejects.toMatchObject({ code: 'rate_limited', retryAfterMs: 7000, afterFirstByte: false });
  });

  test('is made once, also where the vendor asks for a retry', async () => {
    answer = (response) => void response.writeHead(503, { 'x-should-retry': 'true', 'retry-after': '0' }).end();
    await expect(call()).rejects.toMatchObject({ code: 'overloaded' });
    expect(requests).toBe(1);
  });

  test('treats a redirect as an error, and does not follow it', async () => {
    answer = (response) => void response.writeHead(307, { location: '/elsewhere' }).end();
    await expect(call()).rejects.toMatchObject({ code: 'rejected' });
    expect(requests).toBe(1);
  });

  test('maps an error whose body never ends by its status, and closes the connection', async () => {
    answer = (response) => void response.writeHead(503).write(ERROR_BODY + ' '.repeat(MAX_ERROR_BODY_BYTES));
    await expect(call()).rejects.toMatchObject({ code: 'overloaded', afterFirstByte: false });
    await disconnected();
  });

  test('maps an error whose body breaks off by its status', async () => {
    answer = (response) =>
      void response.writeHead(529, { 'content-length': '1000' }).write('{"error":', () => response.destroy());
    await expect(call()).rejects.toMatchObject({ code: 'overloaded', afterFirstByte: false });
  });

  test('maps an error whose body is no JSON by its status, and discloses none of its text', async () => {
    answer = (response) =>
      void response.writeHead(400, { 'content-type': 'text/html' }).end('<html>rate_limit_error</html>');
    await expect(call()).rejects.toMatchObject({ code: 'rejected', message: 'The vendor rejected the request.' });
  });

  describe('that asks for a whole answer', () => {
    const ANSWER = JSON.stringify(
      vendor === 'openai'
        ? { choices: [{ message: { content: 'hello' }, finish_reason: 'stop' }] }
        : { content: [{ type: 'text', text: 'hello' }], stop_reason: 'end_turn' },
    );
    const JSON_TYPE = { 'content-type': 'application/json' };
    const whole = () =>
      provider.complete({ ...REQUEST, isStreamed: false }, new AbortController().signal, () => undefined);

    test('reads a compressed one', async () => {
      answer = (response) =>
        void response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }).end(gzipSync(ANSWER));
      expect(await whole()).toMatchObject({ text: 'hello', finishReason: 'stop' });
    });

    test.each([
      ['shorter', ANSWER.length + 10, 'connection_failed'],
      ['longer', ANSWER.length - 10, 'invalid_answer'],
    ])('fails, not to be attempted again, where the body is %s than its length says', async (_, length, code) => {
      // Written to the socket, because Node's server would correct it.
      answer = (response) =>
        void response.socket?.end(
          `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${ANSWER}`,
        );
      await expect(whole()).rejects.toMatchObject({ code, afterFirstByte: true });
    });

    test('breaks off one of 30 MB, and closes the connection', async () => {
      answer = (response) => void response.writeHead(200, JSON_TYPE).end(Buffer.alloc(30_000_000, ' '));
      await expect(whole()).rejects.toMatchObject({
        code: 'invalid_answer',
        message: expect.stringContaining('far more than was asked for') as string,
      });
      await disconnected();
    });

    test.each<[string, unknown]>([
      ['a list of nothing', [null]],
      ['null', null],
      ['numbers', { choices: 5, content: 5 }],
      ['parts that are none', { choices: [null], content: [null] }],
    ])('fails where the answer is made of %s', async (_, body) => {
      answer = (response) => void response.writeHead(200, JSON_TYPE).end(JSON.stringify(body));
      await expect(whole()).rejects.toMatchObject({ name: 'ProviderError' });
    });
  });

  test('fails as a broken connection where the vendor disconnects without a response', async () => {
    answer = (response) => void response.destroy();
    await expect(call()).rejects.toMatchObject({ code: 'connection_failed', afterFirstByte: false });
  });

  test.each<[string, (response: ServerResponse) => void]>([
    ['before the headers', () => undefined],
    ['in the body of an error', (response) => response.writeHead(500).write('{')],
    [
      'in the body of an answer',
      (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': wait\n\n'),
    ],
  ])('ends with the signal %s, and closes the connection', async (_, begin) => {
    const abort = new AbortController();
    const begun = new Promise<void>((resolve) => {
      answer = (response) => {
        begin(response);
        resolve();
      };
    });
    const failed = expect(call(abort.signal)).rejects.toThrow();
    await begun;
    abort.abort(new Error('The deadline has passed.'));
    await failed;
    await disconnected();
  });
});
