import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { brotliCompressSync, constants, createGzip, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { Agent } from 'undici';
import { eventually } from '../../../../test/support/factories';
import { endpointOf, HttpTransport } from './http-transport';
import { headerOf, type VendorResponse } from './vendor-response';

/** A vendor that answers as the test says, and knows its connections. */
class PlayedVendor {
  private readonly server: Server;
  readonly requests: { headers: IncomingMessage['headers']; port: number | undefined }[] = [];

  constructor(listener: RequestListener) {
    this.server = createServer((request, response) => {
      this.requests.push({ headers: request.headers, port: request.socket.remotePort });
      listener(request, response);
    });
  }

  async listen(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1/chat?a=b`;
  }

  async connections(): Promise<number> {
    return new Promise((resolve) => this.server.getConnections((_, count) => resolve(count)));
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

/** More than any answer here has. */
const MAX_BYTES = 1_000_000;
const EVENTS = { 'content-type': 'text/event-stream' };

describe('HttpTransport', () => {
  const vendors: PlayedVendor[] = [];
  let http: HttpTransport;
  beforeEach(() => {
    http = new HttpTransport();
  });
  afterEach(async () => {
    await http.onApplicationShutdown();
    for (const vendor of vendors.splice(0)) vendor.stop();
  });

  async function vendorThat(listener: RequestListener): Promise<{ vendor: PlayedVendor; url: string }> {
    const vendor = new PlayedVendor(listener);
    vendors.push(vendor);
    return { vendor, url: await vendor.listen() };
  }

  async function ask(url: string, signal = new AbortController().signal): Promise<VendorResponse> {
    return http.post(endpointOf(url, '', { authorization: 'Bearer k' }), '{"a":"é"}', signal);
  }

  test('sends the request as given, asks for no compression, and returns status, headers and body', async () => {
    const { vendor, url } = await vendorThat((request, response) => {
      response.writeHead(429, { 'content-type': 'text/plain', 'retry-after': '7', 'set-cookie': ['a=1', 'b=2'] });
      response.write(`${request.method} ${request.url} `);
      request.pipe(response);
    });
    const response = await ask(url);
    expect([
      response.status,
      headerOf(response.headers, 'retry-after'),
      headerOf(response.headers, 'set-cookie'),
    ]).toEqual([429, '7', 'a=1, b=2']);
    expect(await response.readText(MAX_BYTES)).toBe('POST /v1/chat?a=b {"a":"é"}');
    expect(vendor.requests[0]?.headers).toMatchObject({
      authorization: 'Bearer k',
      'accept-encoding': 'identity',
      'content-length': '10',
    });
  });

  test('keeps a connection for the next call, also when a stream was released at its last event', async () => {
    const { vendor, url } = await vendorThat((_, response) => {
      response.writeHead(200, EVENTS).write('last');
      setImmediate(() => response.end());
    });
    const agent = new Agent({ allowH2: false });
    http = new HttpTransport(agent);
    for (let call = 0; call < 3; call += 1) {
      await (await ask(url)).read(() => true);
      // The vendor ends the body a little later than we left it.
      await eventually('the connections are free', () =>
        Object.values(agent.stats).every((stats) => (stats as unknown as { free: number }).free > 0),
      );
    }
    expect(new Set(vendor.requests.map(({ port }) => port)).size).toBe(1);
  });

  test('drops the connection of a vendor that never ends a body whose answer was complete, and opens another for the next call', async () => {
    const { vendor, url } = await vendorThat((_, response) => void response.writeHead(200, EVENTS).write('last'));
    await (await ask(url)).read(() => true);
    expect(await vendor.connections()).toBe(1);
    await eventually('nothing is connected', async () => (await vendor.connections()) === 0);
    await (await ask(url)).read(() => true);
    expect(new Set(vendor.requests.map(({ port }) => port)).size).toBe(2);
  });

  test.each<[string, (response: ServerResponse) => void]>([
    ['before an answer', () => undefined],
    ['before the body', (response) => response.writeHead(200, EVENTS).flushHeaders()],
    ['within the body', (response) => response.writeHead(200, EVENTS).write('a')],
  ])('ends a call that is aborted %s, and its connection', async (_, answer) => {
    const { vendor, url } = await vendorThat((_request, response) => answer(response));
    const abort = new AbortController();
    const reading = (async () => (await ask(url, abort.signal)).readText(MAX_BYTES))();
    await eventually('the vendor is asked', () => vendor.requests.length === 1);
    abort.abort(new Error('called off'));
    await expect(reading).rejects.toThrow('called off');
    await eventually('nothing is connected', async () => (await vendor.connections()) === 0);
  });

  test('does not begin a call that was aborted before', async () => {
    const { vendor, url } = await vendorThat((_, response) => void response.end());
    await expect(ask(url, AbortSignal.abort(new Error('called off')))).rejects.toThrow('called off');
    await (await ask(url)).readText(MAX_BYTES);
    expect(vendor.requests).toHaveLength(1);
  });

  test('leaves no connection behind after 200 calls that hung', async () => {
    const { vendor, url } = await vendorThat(() => undefined);
    const abort = new AbortController();
    const calls = Array.from({ length: 200 }, () => ask(url, abort.signal));
    await eventually('the vendor is asked', () => vendor.requests.length === 200);
    abort.abort(new Error('called off'));
    expect((await Promise.allSettled(calls)).every(({ status }) => status === 'rejected')).toBe(true);
    await eventually('nothing is connected', async () => (await vendor.connections()) === 0);
  });

  test('fails when the connection breaks, before a response or within it', async () => {
    const silent = await vendorThat((request) => void request.socket.destroy());
    await expect(ask(silent.url)).rejects.toThrow();
    const halting = await vendorThat((_, response) => {
      response.writeHead(200, EVENTS).write('half', () => response.destroy());
    });
    await expect((await ask(halting.url)).readText(MAX_BYTES)).rejects.toThrow();
  });

  test('follows no redirect, so that a key goes nowhere else', async () => {
    const { vendor, url } = await vendorThat(
      (_, response) => void response.writeHead(307, { location: '/elsewhere' }).end(),
    );
    expect((await ask(url)).status).toBe(307);
    expect(vendor.requests).toHaveLength(1);
  });

  test('waits for the response behind 103 Early Hints', async () => {
    const { url } = await vendorThat((_, response) =>
      response.writeEarlyHints({ link: '</style.css>; rel=preload' }, () => response.end('after all')),
    );
    const response = await ask(url);
    expect([response.status, await response.readText(MAX_BYTES)]).toEqual([200, 'after all']);
  });

  test.each<[string, (text: string) => Buffer]>([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ])('decodes a body that is compressed by %s all the same', async (encoding, compress) => {
    const { url } = await vendorThat(
      (_, response) => void response.writeHead(200, { 'content-encoding': encoding }).end(compress('good morning')),
    );
    expect(await (await ask(url)).readText(MAX_BYTES)).toBe('good morning');
  });

  test('returns the events of a compressed stream the moment they arrive', async () => {
    let goOn: () => void = () => undefined;
    const { url } = await vendorThat((_, response) => {
      const gzip = createGzip();
      gzip.pipe(response.writeHead(200, { ...EVENTS, 'content-encoding': 'gzip' }));
      gzip.write('first');
      gzip.flush();
      goOn = () => void gzip.end(' second');
    });
    const pieces: string[] = [];
    await (
      await ask(url)
    ).read((chunk) => {
      pieces.push(chunk.toString());
      if (pieces.length === 1) goOn();
      return false;
    });
    expect(pieces.join('')).toBe('first second');
  });

  test('fails on a body that is not compressed as it claims', async () => {
    const { url } = await vendorThat(
      (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('good morning'),
    );
    await expect((await ask(url)).readText(MAX_BYTES)).rejects.toThrow();
  });

  test('closes idle connections when the service ends', async () => {
    const { vendor, url } = await vendorThat((_, response) => void response.end('ok'));
    await (await ask(url)).readText(MAX_BYTES);
    expect(await vendor.connections()).toBe(1);
    await http.onApplicationShutdown();
    await eventually('nothing is connected', async () => (await vendor.connections()) === 0);
    http = new HttpTransport();
  });

  test('fails for an address where nothing listens', async () => {
    const { url, vendor } = await vendorThat(() => undefined);
    vendor.stop();
    await once(connect(Number(new URL(url).port), '127.0.0.1'), 'error');
    await expect(ask(url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ])('aborts a small body that would become a large one: %s', async (encoding, compress) => {
    const bomb = compress(Buffer.alloc(32 * MAX_BYTES, 'x'));
    const { vendor, url } = await vendorThat((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding }).write(bomb);
    });
    const response = await ask(url);
    await expect(response.readText(MAX_BYTES)).rejects.toMatchObject({ code: 'invalid_answer' });
    response.cancel();
    await eventually('nothing is connected', async () => (await vendor.connections()) === 0);
  });

  test('grants a decompressor no more memory than the standard lets a vendor demand', async () => {
    const params = { [constants.ZSTD_c_windowLog]: 27, [constants.ZSTD_c_enableLongDistanceMatching]: 1 };
    const greedy = zstdCompressSync(Buffer.alloc(20 * MAX_BYTES, 'x'), { params });
    const { url } = await vendorThat(
      (_, response) => void response.writeHead(200, { 'content-encoding': 'zstd' }).end(greedy),
    );
    await expect((await ask(url)).readText(32 * MAX_BYTES)).rejects.toThrow();
  });
});
