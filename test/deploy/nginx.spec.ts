import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { endAfterTests } from '../support/cleanup';
import { freePort } from '../support/free-port';
import { temporaryFolder } from '../support/temporary-folder';
import { deployed } from '../cluster/support/deployed';
import { Program, runProgram } from '../cluster/support/program';
import { describeWith } from '../cluster/support/programs';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A server in the position of the service. Gives its address. */
async function startServer(handler: Handler): Promise<string> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  endAfterTests(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** nginx with deploy/nginx.conf in front of these. Gives its URL. */
async function startNginx(...servers: string[]): Promise<string> {
  const folder = temporaryFolder();
  const port = await freePort();
  const lines = [11, 12, 13].map((host) => `        server 10.0.0.${host}:3000 max_fails=1 fail_timeout=1s;\n`);
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `    ${kind}_temp_path ${folder}/${kind};\n`)
    .join('');
  const file = join(folder, 'nginx.conf');
  writeFileSync(
    file,
    deployed('nginx.conf', {
      'listen 8080;': `listen 127.0.0.1:${port};`,
      '    access_log off;\n': `    access_log off;\n${folders}`,
      [lines.join('')]: servers.map((server) => lines[0]?.replace('10.0.0.11:3000', server)).join(''),
    }),
  );
  const user = process.getuid?.() === 0 ? ' user root;' : '';
  // One process, which ends as a whole.
  const globals = `daemon off; master_process off; pid ${folder}/nginx.pid;${user}`;
  await runProgram('nginx', ['-t', '-q', '-e', 'stderr', '-c', file, '-g', globals], { folder });
  const url = `http://127.0.0.1:${port}`;
  await Program.start({
    program: 'nginx',
    args: ['-e', 'stderr', '-c', file, '-g', globals],
    folder,
    isReady: () =>
      fetch(url).then(
        () => true,
        () => false,
      ),
  });
  return url;
}

describeWith(['nginx'], 'deploy/nginx.conf', () => {
  it('passes each event of a stream on at once', async () => {
    let sendRest = () => undefined as void;
    const url = await startNginx(
      await startServer((_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: first\n\n');
        sendRest = () => void response.end('data: last\n\n');
      }),
    );
    const reader = (await fetch(url)).body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toBe('data: first\n\n');
    sendRest();
    expect((await reader?.read())?.value).toBe('data: last\n\n');
  });

  it('answers in our error body, with Retry-After and the request id, while no process can be reached', async () => {
    const url = await startNginx(`127.0.0.1:${await freePort()}`);
    const answer = await fetch(url, { method: 'POST', headers: { 'x-request-id': 'req_of_caller' } });
    expect([
      answer.status,
      answer.headers.get('retry-after'),
      answer.headers.get('content-type'),
      answer.headers.get('x-request-id'),
    ]).toEqual([503, '1', 'application/json; charset=utf-8', 'req_of_caller']);
    expect(await answer.json()).toEqual({
      error: { code: 'unavailable', message: expect.any(String), request_id: 'req_of_caller' },
    });
  });

  it('sends a request that reached no process to another one', async () => {
    const url = await startNginx(
      `127.0.0.1:${await freePort()}`,
      await startServer((_request, response) => response.end('served')),
    );
    const texts = await Promise.all(
      Array.from({ length: 10 }, async () => (await fetch(url, { method: 'POST' })).text()),
    );
    expect(new Set(texts)).toEqual(new Set(['served']));
  });

  it('never sends a compare twice that broke off', async () => {
    let count = 0;
    const breakOff: Handler = ({ method, socket }, response) => {
      if (method !== 'POST') return void response.end();
      count += 1;
      socket.destroy();
    };
    const url = await startNginx(await startServer(breakOff), await startServer(breakOff));
    expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(503);
    expect(count).toBe(1);
  });

  it('passes errors of the service on unchanged', async () => {
    const url = await startNginx(
      await startServer((_request, response) => response.writeHead(503, { 'retry-after': '7' }).end('of the service')),
    );
    const answer = await fetch(url);
    expect([answer.status, answer.headers.get('retry-after'), await answer.text()]).toEqual([
      503,
      '7',
      'of the service',
    ]);
  });

  it('sends the service the address and an id that no caller can forge', async () => {
    const url = await startNginx(await startServer(({ headers }, response) => response.end(JSON.stringify(headers))));
    const headers = (await (
      await fetch(url, { headers: { 'x-forwarded-for': '203.0.113.7', 'x-request-id': 'a b' } })
    ).json()) as Record<string, string>;
    expect(headers).toMatchObject({
      'x-forwarded-for': '127.0.0.1',
      'x-request-id': expect.stringMatching(/^req_[0-9a-f]{32}$/),
      host: '127.0.0.1',
    });
  });

  it('refuses what is far too large in our error body', async () => {
    const url = await startNginx(await startServer((_request, response) => response.end()));
    const answer = await fetch(url, { method: 'POST', body: 'x'.repeat(3 << 20) });
    expect([answer.status, await answer.json()]).toEqual([
      413,
      {
        error: {
          code: 'body_too_large',
          message: 'The body is too large.',
          request_id: answer.headers.get('x-request-id'),
        },
      },
    ]);
  });

  it('passes data sets of 64 MiB on, and no larger ones', async () => {
    let [bytes, readers] = [0, 0];
    const url = await startNginx(
      await startServer((request, response) => {
        readers += request.headers['content-length'] === undefined ? 0 : 1;
        request.on('data', (piece: Buffer) => void (bytes += piece.length)).on('end', () => response.end());
      }),
    );
    const send = async (megabytes: number) =>
      (await fetch(`${url}/api/v1/datasets?name=x`, { method: 'POST', body: 'x'.repeat(megabytes << 20) })).status;
    expect([await send(64), bytes, readers]).toEqual([200, 64 << 20, 1]);
    expect([await send(65), readers]).toEqual([413, 1]);
  });
});
