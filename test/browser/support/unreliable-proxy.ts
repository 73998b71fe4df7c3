import { once } from 'node:events';
import { createServer, request as forward, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { endOnce } from '../../support/cleanup';

/** The proxy's fault for one request. */
export type Fault =
  | { answer: { status: number; headers?: Record<string, string>; body: string } }
  /** Ends the connection: without any answer, or after that many events of a stream. */
  | { cut: 'before the head' }
  | { cut: 'after events'; events: number }
  /** Hands nothing on after that many events but heartbeats, until `speak` is called. */
  | { silentAfterEvents: number }
  /** Hands the request on when `release` is called. */
  | { held: true }
  /** Answers with an event stream of the test's own. */
  | { stream: AsyncIterable<string> };

interface Rule {
  method: string;
  path: RegExp;
  fault: Fault;
  times: number;
}

/** An HTTP proxy in front of the service, in which the network and the service can have bad days. */
export class UnreliableProxy {
  /** Received requests: method and path. */
  readonly seen: string[] = [];
  private rules: Rule[] = [];
  private readonly sockets = new Set<Socket>();
  private readonly waiting: (() => void)[] = [];
  private readonly files = new Map<string, { type: string; text: string }>();
  private readonly close = endOnce(async () => {
    await this.down();
  });

  private constructor(
    private serviceUrl: string,
    private server: Server,
    private readonly port: number,
  ) {}

  /** Starts one on a free port. */
  static async inFrontOf(serviceUrl: string): Promise<UnreliableProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new UnreliableProxy(serviceUrl, server, (server.address() as AddressInfo).port);
    proxy.listenTo(server);
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The next requests (one, if not said otherwise) of that method and path meet this fault. */
  next(method: string, path: RegExp, fault: Fault, times = 1): void {
    this.rules.push({ method, path, fault, times });
  }

  /** Forgets unused faults. */
  clear(): void {
    this.rules = [];
  }

  /** Answers GET of that path with a file of the test. */
  serve(path: string, type: string, text: string): void {
    this.files.set(path, { type, text });
  }

  /** Lets everything through that was held or silent. */
  release(): void {
    for (const go of this.waiting.splice(0)) go();
  }

  /** Breaks every connection that is open now. */
  cutAll(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /** Stops listening: connections are refused. */
  async down(): Promise<void> {
    if (!this.server.listening) return;
    this.server.close();
    this.cutAll();
    await once(this.server, 'close');
  }

  /** Listens again, on the same port, in front of the same service or another one. */
  async up(serviceUrl = this.serviceUrl): Promise<void> {
    this.serviceUrl = serviceUrl;
    this.server = createServer().listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.listenTo(this.server);
  }

  /** Stops it for good. */
  stop(): Promise<void> {
    return this.close();
  }

  private listenTo(server: Server): void {
    server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => this.sockets.delete(socket));
    });
    server.on('request', (request: IncomingMessage, response: ServerResponse) => void this.handle(request, response));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request;
    this.seen.push(`${method} ${url}`);
    const file = this.files.get(url);
    if (file !== undefined) return void response.writeHead(200, { 'content-type': file.type }).end(file.text);
    const fault = this.take(method, url);
    if (fault !== undefined && (await this.answerInstead(fault, request, response))) return;
    if (fault !== undefined && 'held' in fault) await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.handOn(request, response, fault);
  }

  /** True if the fault is an answer of the proxy, or no answer; then the service does not get the request. */
  private async answerInstead(fault: Fault, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    if ('answer' in fault) {
      request.resume();
      response
        .writeHead(fault.answer.status, { 'content-type': 'application/json', ...fault.answer.headers })
        .end(fault.answer.body);
      return true;
    }
    if ('stream' in fault) {
      request.resume();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for await (const piece of fault.stream) response.write(piece);
      response.end();
      return true;
    }
    if (!('cut' in fault) || fault.cut !== 'before the head') return false;
    request.socket.destroy();
    return true;
  }

  private take(method: string, path: string): Fault | undefined {
    const rule = this.rules.find((each) => each.method === method && each.path.test(path));
    if (rule === undefined) return undefined;
    rule.times -= 1;
    if (rule.times === 0) this.rules = this.rules.filter((each) => each !== rule);
    return rule.fault;
  }

  private handOn(request: IncomingMessage, response: ServerResponse, fault: Fault | undefined): void {
    const behind = forward(`${this.serviceUrl}${request.url}`, {
      method: request.method,
      headers: request.headers,
      agent: false,
    });
    behind.on('error', () => request.socket.destroy());
    request.pipe(behind);
    behind.on('response', (answer) => {
      answer.on('error', () => request.socket.destroy());
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      const limit = eventsBefore(fault);
      if (limit === undefined) return void answer.pipe(response);
      this.handOnEvents(answer, response, { limit, isCut: fault !== undefined && 'cut' in fault });
    });
    response.on('close', () => behind.destroy());
  }

  /** Passes that many events on; then cuts the connection, or stays silent until `release` hands on the rest. */
  private handOnEvents(
    answer: IncomingMessage,
    response: ServerResponse,
    { limit, isCut }: { limit: number; isCut: boolean },
  ): void {
    let rest = '';
    let passed = 0;
    let isReleased = false;
    const pass = () => {
      for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
        if (passed >= limit && !isReleased) break;
        response.write(rest.slice(0, end + 2));
        rest = rest.slice(end + 2);
        passed += 1;
      }
      if (passed >= limit && isCut) response.socket?.destroy();
    };
    // The first bytes go at once, so that the page sees the head of the answer.
    response.flushHeaders();
    if (!isCut)
      this.waiting.push(() => {
        isReleased = true;
        response.write(': \n\n');
        pass();
        if (answer.complete) response.end(rest);
      });
    answer.setEncoding('utf8').on('data', (text: string) => {
      rest += text;
      pass();
    });
    answer.on('end', () => {
      if (isReleased || passed < limit) response.end(rest);
    });
    pass();
  }
}

/** After how many events of the stream the fault begins; undefined where it has nothing to do with events. */
function eventsBefore(fault: Fault | undefined): number | undefined {
  if (fault === undefined) return undefined;
  if ('events' in fault) return fault.events;
  return 'silentAfterEvents' in fault ? fault.silentAfterEvents : undefined;
}
