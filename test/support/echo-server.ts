import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { endOnce } from './cleanup';

/** A vendor whose errors repeat all that it was sent, keys included. */
export interface EchoServer {
  url: string;
  close(): Promise<void>;
}

/** Starts one on a free port; the prompt says by `[[echo:STATUS]]` with which status it answers. */
export async function startEchoServer(): Promise<EchoServer> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts).toString('utf8');
      const status = Number(/\[\[echo:(\d+)\]\]/.exec(body)?.[1] ?? 400);
      const key = request.headers.authorization?.replace(/^Bearer /, '') ?? request.headers['x-api-key'];
      const address = `http://${request.headers.host}${request.url} at Object.handle (/srv/vendor/app.js:10:5)`;
      const message = `Your request with ${String(key)} (Authorization: Bearer ${String(key)}, headers ${JSON.stringify(request.headers)}) to ${address} is wrong.`;
      response.writeHead(status, { 'content-type': 'application/json', 'x-echo': String(key) });
      response.end(
        JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', code: 'bad', message, param: body } }),
      );
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: endOnce(async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    }),
  };
}
