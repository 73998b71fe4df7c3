import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { environment } from '../../src/platform/config/environment';
import { MAX_ARRIVAL_MS } from '../../src/platform/http/server-timeouts';
import { Api } from '../support/api';
import { endAfterTests } from '../support/cleanup';
import { eventually } from '../support/factories';
import { freePort } from '../support/free-port';
import { slowClient } from '../support/slow-client';
import { deployed } from './support/deployed';
import { Program, runProgram } from './support/program';
import { startHAProxy, writeHAProxyConfig } from './support/haproxy';
import { describeWith } from './support/programs';

/** A server that is ready, and reacts like that to everything else. Counts what it was sent. */
async function startServer(
  reaction: 'cut' | 'answer' | 'nothing',
): Promise<{ url: string; count: () => number; close: () => Promise<void> }> {
  let count = 0;
  const server = createServer((request, response) => {
    if (request.url === '/health/ready') return void response.end('{}');
    count += 1;
    if (reaction === 'cut') request.socket.destroy();
    else if (reaction === 'answer') response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  endAfterTests(close);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, count: () => count, close };
}

/** The body of an error as HAProxy must answer it. */
const unavailable = (message: string, requestId: string) => ({
  error: { code: 'unavailable', message: expect.stringContaining(message), request_id: requestId },
});

describeWith(['haproxy'], 'deploy/haproxy.cfg', () => {
  it('is a valid configuration without changes and without a warning', async () => {
    expect(await runProgram('haproxy', ['-c', '-f', 'deploy/haproxy.cfg'], { folder: '.' })).toBe(
      'Configuration file is valid\n',
    );
  });

  it('answers 503 with Retry-After and the one error body while no process is ready', async () => {
    const { file, folder, url } = await writeHAProxyConfig([`http://127.0.0.1:${await freePort()}`]);
    await Program.start({
      program: 'haproxy',
      args: ['-db', '-f', file],
      folder,
      isReady: () =>
        fetch(url).then(
          () => true,
          () => false,
        ),
    });
    const answer = await new Api('a-key', url).compare({ prompt: 'hello', models: ['sim-swift'] });
    expect(answer.status).toBe(503);
    const requestId = answer.headers.get('x-request-id') ?? '';
    expect(requestId).toMatch(/^req_[0-9a-f-]{36}$/);
    expect(answer.body).toEqual(unavailable('not available', requestId));
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'retry-after': '1',
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
    });
    expect((await new Api('a-key', url).get('/', { headers: { 'x-request-id': 'my-own-id' } })).body).toEqual(
      unavailable('not available', 'my-own-id'),
    );
    // Not the service's choice either.
    expect(
      (await new Api('a-key', url).get('/', { headers: { 'x-request-id': '","code":"mine' } })).body.error.request_id,
    ).toMatch(/^req_/);
  });

  it('hides the admin API and the metrics, however they are written, and shows everything else', async () => {
    const server = await startServer('answer');
    const { url } = await startHAProxy([server.url], {}, true);
    for (const path of [
      '/api/v1/admin/users',
      '/api/v1/%61dmin/users',
      '/API/v1/Admin',
      '/metrics',
      '/%6Detrics?x=1',
    ]) {
      const answer = await new Api('a-key', url).get(path);
      const requestId = answer.headers.get('x-request-id');
      expect([path, answer.status, answer.body]).toEqual([
        path,
        404,
        { error: { code: 'not_found', message: 'No such route or resource.', request_id: requestId } },
      ]);
    }
    expect(server.count()).toBe(0);
    for (const path of ['/', '/api/v1/models', '/docs', '/health/live'])
      expect([path, (await new Api('a-key', url).get(path)).status]).toEqual([path, 200]);
  });

  it('sends what reached no process to another, and nothing that may have run', async () => {
    const [cutting, gone] = [await startServer('cut'), await startServer('answer')];
    // Never noticed by itself that one is gone.
    const { url } = await startHAProxy([cutting.url, gone.url], {
      'check inter 1s fastinter 500ms downinter 1s fall 2 rise 1':
        'check inter 1h fastinter 1h downinter 1h fall 2 rise 1',
    });
    await gone.close();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => new Api('a-key', url).post('/api/v1/compare', {})),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(10).fill(502));
    expect(cutting.count()).toBe(10);
    expect(answers[0]?.body).toEqual(
      unavailable('may have been carried out', answers[0]?.headers.get('x-request-id') ?? ''),
    );
    expect(answers[0]?.headers.get('retry-after')).toBe('1');
  });

  it('answers 504 in the one error body where a process is silent for too long', async () => {
    const silent = await startServer('nothing');
    const { url } = await startHAProxy([silent.url], { 'timeout server 120s': 'timeout server 300ms' });
    const asked = new Api('a-key', url).post('/api/v1/compare', {});
    await eventually('it is sent on', () => silent.count() === 1);
    const answer = await asked;
    expect([answer.status, answer.body]).toEqual([
      504,
      unavailable('may still be carried out', answer.headers.get('x-request-id') ?? ''),
    ]);
    expect(silent.count()).toBe(1);
  });

  it('refuses a request that does not arrive in time', async () => {
    const server = await startServer('answer');
    const { url } = await startHAProxy([server.url], { 'timeout http-request 30s': 'timeout http-request 300ms' });
    const { ended } = slowClient(url, 'POST /api/v1/compare HTTP/1.1\r\nHost: here\r\nX-Half: ');
    expect((await ended).text).toMatch(/^HTTP\/1\.1 408 /);
    expect(server.count()).toBe(0);
  });

  it('waits longer than the service takes at most for a request to arrive, and for its answer', () => {
    const seconds = (name: string) =>
      Number(new RegExp(`^ {4}timeout ${name} (\\d+)s$`, 'm').exec(deployed('haproxy.cfg', {}))?.[1]);
    expect(seconds('http-request')).toBeGreaterThanOrEqual(MAX_ARRIVAL_MS / 1000);
    for (const name of ['server', 'client'])
      expect(seconds(name)).toBeGreaterThan(environment.shape.EVAL_TIMEOUT_MS.parse(undefined) / 1000);
  });

  it('sends the service the address of the caller and ignores the headers of the caller', async () => {
    const seen: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      if (request.url !== '/health/ready') seen.push(request.headers['x-forwarded-for'] as string | undefined);
      response.end('{}');
    }).listen(0, '127.0.0.1');
    endAfterTests(() => server.close());
    await once(server, 'listening');
    const { url } = await startHAProxy([`http://127.0.0.1:${(server.address() as AddressInfo).port}`]);
    await new Api(undefined, url).get('/', { headers: { 'x-forwarded-for': '203.0.113.9, 203.0.113.8' } });
    expect(seen).toEqual(['127.0.0.1']);
  });
});
