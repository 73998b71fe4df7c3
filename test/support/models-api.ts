import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { endAfterTests } from './cleanup';

/**
 * A server of lists of models and price tables: JSON by path, or what a listener answers. Its address has no slash at
 * the end.
 */
export async function startModelsApi(answers: Record<string, unknown>): Promise<string> {
  const server = createServer((request, response) => {
    const answer = answers[new URL(request.url ?? '/', 'http://here').pathname];
    if (typeof answer === 'function') (answer as RequestListener)(request, response);
    else
      response
        .writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' })
        .end(JSON.stringify(answer ?? {}));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  endAfterTests(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
