import type { Page } from 'playwright-core';

/** The files that one visit of a page loaded. */
export interface Loaded {
  /** Bytes over the wire, headers included. */
  bytes: number;
  /** Addresses for which the service was asked, with the status. */
  fromService: string[];
  /** Addresses that came from the browser's cache. */
  fromCache: string[];
}

/** Counts what the network brings to a page until `stop` is called. */
export async function countLoaded(page: Page): Promise<{ stop(): Promise<Loaded> }> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  const loaded: Loaded = { bytes: 0, fromService: [], fromCache: [] };
  const paths = new Map<string, string>();
  // A page that was not modified is reported with the status that it had when it was stored; this is what the service
  // said.
  const statuses = new Map<string, number>();
  session.on('Network.responseReceivedExtraInfo', ({ requestId, statusCode }) => statuses.set(requestId, statusCode));
  const cached = new Set<string>();
  const asked: (() => string)[] = [];
  session.on('Network.requestServedFromCache', ({ requestId }) => cached.add(requestId));
  session.on('Network.responseReceived', ({ requestId, response }) => {
    const { protocol, pathname } = new URL(response.url);
    if (protocol === 'data:' || protocol === 'blob:') return;
    paths.set(requestId, pathname);
    if (response.fromDiskCache === true || cached.has(requestId)) loaded.fromCache.push(pathname);
    else asked.push(() => `${statuses.get(requestId) ?? response.status} ${pathname}`);
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (paths.has(requestId)) loaded.bytes += encodedDataLength;
  });
  return {
    stop: async () => {
      await session.detach();
      return { ...loaded, fromService: asked.map((line) => line()) };
    },
  };
}
