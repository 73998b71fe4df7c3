import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import catalog from '../../../src/modules/models/catalog.json';
import { endOnce } from '../cleanup';
import { answer, refuseRequest } from './answer';
import { Exchange } from './exchange';
import { VendorLog } from './vendor-log';
import { asObject, parsed, readScript, ScriptError, type Scripted } from './vendor.script';
import type { VendorName } from './wire';

export { vendorLog, vendorSockets, type LoggedCall, type RunLog } from './vendor-log';
export { FAULTS, FLOODS, vendorScript, type Fault, type Finish, type ModelScript } from './vendor.script';
export { MARKER } from './error-table';

/** A running vendor server. */
export interface VendorServer {
  /** `http://127.0.0.1:<port>`; the vendors' base addresses are below it (see `BASE_PATHS`). */
  readonly url: string;
  /** Drops every connection and frees the port. */
  close(): Promise<void>;
}

/** The path of each vendor's base URL on this server. Some end in a version, Anthropic's does not. */
export const BASE_PATHS: Record<VendorName, string> = {
  openai: '/openai/v1',
  gemini: '/gemini',
  mistral: '/mistral/v1',
  deepseek: '/deepseek',
  xai: '/xai/v1',
  groq: '/groq/openai/v1',
  openrouter: '/openrouter/api/v1',
  local: '/local/v1',
  anthropic: '/anthropic',
};

const ROUTES = new Map(
  (Object.keys(BASE_PATHS) as VendorName[]).map((vendor) => [
    `${BASE_PATHS[vendor]}${vendor === 'anthropic' ? '/v1/messages' : '/chat/completions'}`,
    vendor,
  ]),
);

/** Addresses that take a valid key and cost nothing: lists of models, and at OpenRouter the key itself. */
const LISTS = new Map(
  (Object.keys(BASE_PATHS) as VendorName[]).map((vendor) => [
    `${BASE_PATHS[vendor]}${vendor === 'anthropic' ? '/v1/models' : '/models'}`,
    vendor,
  ]),
).set(`${BASE_PATHS.openrouter}/key`, 'openrouter');

/** Starts a server that plays every vendor, on a free port of this machine. */
export async function startVendorServer(): Promise<VendorServer> {
  const vendors = new Vendors();
  const { server } = vendors;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: endOnce(() => vendors.close()) };
}

class Vendors {
  readonly server: Server;
  private readonly log = new VendorLog();
  private readonly sockets = new Set<Socket>();
  // Connections that asked about the log; they are closed after the answer.
  private readonly askers = new WeakSet<Socket>();

  constructor() {
    this.server = createServer((request, response) => void this.handle(request, response));
    this.server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
    });
    this.server.on('clientError', (_error, socket) => socket.destroy());
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const url = new URL(request.url ?? '/', 'http://vendor');
      const vendor = ROUTES.get(url.pathname);
      if (vendor !== undefined && request.method === 'POST') await this.call(vendor, request, response);
      else if (LISTS.has(url.pathname) && request.method === 'GET') list(LISTS.get(url.pathname), request, response);
      else this.tell(url, request, response);
    } catch (error) {
      // The client has gone, or what it sent is beyond reading; a fault of this server shows as a dropped connection
      // with a reason.
      if (response.headersSent || response.destroyed) response.destroy();
      else new Exchange(response).send(500, 'text/plain', `vendor-server: ${String(error)}`);
    }
  }

  /** Answers what is no call to a vendor: questions about the log, and addresses that do not exist. */
  private tell(url: URL, request: IncomingMessage, response: ServerResponse): void {
    const answers: Record<string, () => unknown> = {
      '/log': () => this.log.read(url.searchParams.get('run') ?? ''),
      '/sockets': () => ({ open: [...this.sockets].filter((socket) => !this.askers.has(socket)).length }),
    };
    const found = request.method === 'GET' ? answers[url.pathname] : undefined;
    if (found !== undefined) this.askers.add(request.socket);
    const body = found?.() ?? {
      error: {
        message: `Unknown request URL: ${request.method} ${url.pathname}.`,
        type: 'invalid_request_error',
        param: null,
        code: 'unknown_url',
      },
    };
    new Exchange(response, { connection: 'close' }).send(
      found === undefined ? 404 : 200,
      'application/json',
      JSON.stringify(body),
    );
  }

  private async call(vendor: VendorName, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const receivedAt = performance.now();
    const exchange = new Exchange(response, accountHeaders(vendor));
    const body = asObject(parsed(await textOf(request))) ?? {};
    const model = typeof body['model'] === 'string' ? body['model'] : '';
    const headers = headersOf(request);
    const scripted = scriptOf(body, model);
    const run = scripted instanceof ScriptError ? '' : scripted.run;
    const logged = this.log.begin(run, { vendor, model, body, headers, receivedAt });
    exchange.whenOver((closedEarly) => this.log.end(run, logged, closedEarly));
    if (scripted instanceof ScriptError)
      return refuseRequest(vendor, `vendor-server cannot read the script: ${scripted.message}`, exchange);
    if (model === '') return refuseRequest(vendor, 'you must provide a model parameter', exchange);
    await answer({ vendor, model, body, headers, script: scripted.script }, logged.attempt, exchange);
  }
}

/** Refuses keys that contain `wrong`, and is too busy for keys with `busy`. */
function list(vendor: VendorName | undefined, { headers }: IncomingMessage, response: ServerResponse): void {
  // Anthropic's SDK sends the key as a bearer token.
  const key = headers['x-api-key'] ?? headers.authorization?.replace(/^Bearer /, '');
  const isRefused = String(key).includes('wrong') || (key === undefined && vendor !== 'local');
  const status = isRefused ? (vendor === 'gemini' ? 400 : 401) : String(key).includes('busy') ? 429 : 200;
  new Exchange(response, { connection: 'close' }).send(
    status,
    'application/json',
    JSON.stringify(status === 200 ? { data: modelsOf(vendor) } : { error: { message: `No: ${String(key)}` } }),
  );
}

/** The models of the shipped catalog, as a list of models names them. */
function modelsOf(vendor: VendorName | undefined): object[] {
  return catalog.filter((model) => model.vendor === vendor).map(({ vendorModel: id }) => ({ id, object: 'model' }));
}

function scriptOf(body: Record<string, unknown>, model: string): Scripted | ScriptError {
  try {
    return readScript(promptOf(body), model);
  } catch (error) {
    if (error instanceof ScriptError) return error;
    throw error;
  }
}

/**
 * Every text the request holds, in either protocol: system, and messages whose content is a text or a list of parts.
 */
function promptOf({ system, messages }: Record<string, unknown>): string {
  const contents = Array.isArray(messages) ? messages.map((message: unknown) => asObject(message)?.['content']) : [];
  return [system, ...contents].map(textIn).join('\n');
}

function textIn(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((part: unknown) => textIn(asObject(part)?.['text'])).join('') : '';
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

/** Facts about the account that vendors send in every answer, and that callers must not see. */
function accountHeaders(vendor: VendorName): Record<string, string> {
  if (vendor === 'anthropic')
    return { 'request-id': 'req_MARKER011CSHoEeqs5C35K2UU', 'anthropic-organization-id': 'MARKER8c-1d2e-3f4a' };
  return vendor === 'openai'
    ? { 'x-request-id': 'req_MARKER0123456789', 'openai-organization': 'org-MARKER8c1d2e3f' }
    : {};
}
