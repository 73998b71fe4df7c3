import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { endOnce } from './cleanup';

/**
 * A gate in front of the vendor server: while it is shut, calls wait there, so that a test decides when runs continue.
 */
export interface VendorGate {
  url: string;
  shut(): void;
  /** How many calls wait there. */
  waiting(): number;
  open(): void;
  close(): Promise<void>;
}

/** Starts an open gate before that vendor server. */
export async function startVendorGate(vendorUrl: string): Promise<VendorGate> {
  let passage = Promise.resolve();
  let open: () => void = () => undefined;
  let waiting = 0;
  const server = createServer((request, response) => {
    void (async () => {
      const body = await text(request);
      waiting += 1;
      await passage;
      waiting -= 1;
      const passedOn = ['content-type', 'accept', 'authorization', 'x-api-key', 'anthropic-version'] as const;
      const headers = Object.fromEntries(
        passedOn.flatMap((name) =>
          request.headers[name] === undefined ? [] : [[name, String(request.headers[name])]],
        ),
      );
      const answer = await fetch(`${vendorUrl}${request.url ?? ''}`, { method: 'POST', headers, body });
      response
        .writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
        .end(await answer.text());
    })().catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    shut: () => {
      passage = new Promise((resolve) => {
        open = resolve;
      });
    },
    waiting: () => waiting,
    open: () => open(),
    close: endOnce(async () => {
      open();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    }),
  };
}
