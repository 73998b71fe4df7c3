import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { endOnce } from './cleanup';

/** A received request. */
export interface StripeRequest {
  method: string;
  path: string;
  idempotencyKey: string | undefined;
  /** Of the form, or of the query. */
  fields: Record<string, string>;
}

/** A meter event that counts. */
export interface CountedEvent {
  customer: string;
  value: bigint;
  timestamp: number;
  /** How often it was sent, counted once. */
  sent: number;
}

/**
 * How meter events fare: taken; refused before they count; counted but answered by an error or never; or nothing is
 * served at all.
 */
export type Fault = 'refused' | 'counted, answered 500' | 'counted, never answered' | 'down';

/** The API version that the SDK in package.json speaks. */
const VERSION = '2026-10-28.endive';
const MAX_AGE_SECONDS = 35 * 24 * 3600;

/** The settings of a service that uses this server instead of Stripe. */
export const STRIPE_SETTINGS = {
  STRIPE_SECRET_KEY: 'sk_test_MARKER_0123456789',
  STRIPE_WEBHOOK_SECRET: 'whsec_MARKER_0123456789',
  STRIPE_RETURN_URL: 'https://app.example.com/account',
};

/** Starts a server with the part of Stripe's API that we use, on a free port of this machine. */
export async function startStripeServer(): Promise<StripeServer> {
  const stripe = new StripeServer();
  await stripe.listen();
  return stripe;
}

class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly fields: Record<string, string> = {},
  ) {
    super(message);
  }
}

/** Customers, Checkout sessions, payment methods and meter events, as strict as Stripe where it matters to us. */
export class StripeServer {
  readonly requests: StripeRequest[] = [];
  readonly customers = new Map<string, { userId: string; methods: string[] }>();
  readonly meterEvents = new Map<string, CountedEvent>();
  /** Applied to the coming meter events, one each. */
  readonly faults: Fault[] = [];
  /** Applied to every request while it is set and no other fault is due. */
  lasting: Fault | undefined;
  /**
   * While it is set, a look at payment methods is answered once it resolves, with what there was when the look came.
   */
  lookLasts: Promise<void> | undefined;
  private readonly byKey = new Map<string, { fields: string; answer: unknown }>();
  private readonly sockets = new Set<Socket>();
  private readonly server = createServer((request, response) => void this.handle(request, response));
  private created = 0;
  /** Drops every connection and frees the port. */
  readonly close = endOnce(async () => {
    const closed = once(this.server, 'close');
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  });

  constructor() {
    this.server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async listen(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  /** The customer that stands for a user. */
  customerOf(userId: string): string {
    const ids = [...this.customers].filter(([, customer]) => customer.userId === userId).map(([id]) => id);
    if (ids.length !== 1) throw new Error(`${ids.length} customers of ${userId}.`);
    return ids[0] ?? '';
  }

  /** Sum of what counts for a customer. */
  metered(customer: string): bigint {
    return [...this.meterEvents.values()]
      .filter((event) => event.customer === customer)
      .reduce((sum, { value }) => sum + value, 0n);
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = await read(request);
    this.requests.push(asked);
    const fault = (asked.path === '/v1/billing/meter_events' ? this.faults.shift() : undefined) ?? this.lasting;
    try {
      if (fault === 'down') {
        response.destroy();
        return;
      }
      if (fault === 'refused') throw new Refusal(429, 'Too many requests.', { code: 'rate_limit' });
      checkHeaders(request);
      const answer = this.oncePerKey(asked);
      await this.timeOf(asked);
      if (fault === 'counted, answered 500') throw new Refusal(500, 'Something went wrong.');
      if (fault === undefined) send(response, 200, answer);
    } catch (error) {
      const { status, message, fields: more } = error instanceof Refusal ? error : new Refusal(500, String(error));
      send(response, status, {
        error: { type: status < 500 ? 'invalid_request_error' : 'api_error', message, ...more },
      });
    }
  }

  /** How long an answer that is known already lasts. */
  private async timeOf({ path }: StripeRequest): Promise<void> {
    if (path.endsWith('/payment_methods')) await this.lookLasts;
  }

  /** The first answer again for an idempotency key that has come before. */
  private oncePerKey(asked: StripeRequest): unknown {
    const known = asked.idempotencyKey === undefined ? undefined : this.byKey.get(asked.idempotencyKey);
    const fields = JSON.stringify([asked.path, asked.fields]);
    if (known !== undefined && known.fields !== fields)
      throw new Refusal(400, 'Keys for idempotent requests can only be used with the same parameters.', {
        type: 'idempotency_error',
      });
    const answer = known?.answer ?? this.answer(asked);
    if (asked.idempotencyKey !== undefined) this.byKey.set(asked.idempotencyKey, { fields, answer });
    return answer;
  }

  private answer({ method, path, fields }: StripeRequest): unknown {
    if (`${method} ${path}` === 'POST /v1/customers') return this.makeCustomer(fields);
    if (`${method} ${path}` === 'POST /v1/checkout/sessions') return this.makeSession(fields);
    if (`${method} ${path}` === 'POST /v1/billing/meter_events') return this.count(fields);
    const listed = /^\/v1\/customers\/([^/]+)\/payment_methods$/.exec(path)?.[1];
    if (method === 'GET' && listed !== undefined)
      return {
        object: 'list',
        has_more: false,
        data: this.customer(listed, 404).methods.map((id) => ({ id, object: 'payment_method' })),
      };
    throw new Refusal(404, `Unrecognized request URL (${method}: ${path}).`);
  }

  private makeCustomer(fields: Record<string, string>): unknown {
    this.created += 1;
    const id = `cus_${this.created}`;
    this.customers.set(id, { userId: fields['metadata[user_id]'] ?? '', methods: [] });
    return { id, object: 'customer', email: fields['email'] };
  }

  private makeSession(fields: Record<string, string>): unknown {
    for (const name of ['currency', 'success_url'])
      if (!fields[name]) throw new Refusal(400, `Missing required param: ${name}.`);
    if (fields['mode'] !== 'setup') throw new Refusal(400, 'Only the setup mode is played here.');
    this.customer(fields['customer'] ?? '', 400);
    this.created += 1;
    return {
      id: `cs_${this.created}`,
      object: 'checkout.session',
      url: `https://checkout.stripe.example/c/pay/cs_${this.created}`,
    };
  }

  private count(fields: Record<string, string>): unknown {
    const {
      identifier = '',
      event_name: name = '',
      timestamp = '',
      'payload[stripe_customer_id]': customer = '',
      'payload[value]': value = '',
    } = fields;
    if (name !== 'model_comparison_charge_nano_usd') throw new Refusal(400, `No active meter found for ${name}.`);
    if (!/^\d{1,15}$/.test(value)) throw new Refusal(400, 'Invalid payload value.');
    checkTimestamp(timestamp);
    this.customer(customer, 400);
    const known = this.meterEvents.get(identifier);
    if (known !== undefined) {
      known.sent += 1;
      throw new Refusal(400, `An event already exists with identifier ${identifier}.`);
    }
    this.meterEvents.set(identifier, { customer, value: BigInt(value), timestamp: Number(timestamp), sent: 1 });
    return { object: 'billing.meter_event', identifier };
  }

  private customer(id: string, status: number): { methods: string[] } {
    const customer = this.customers.get(id);
    if (customer === undefined)
      throw new Refusal(status, `No such customer: '${id}'`, { code: 'resource_missing', param: 'customer' });
    return customer;
  }
}

async function read(request: IncomingMessage): Promise<StripeRequest> {
  const { method = '', url = '/' } = request;
  const { pathname: path, search } = new URL(url, 'http://stripe');
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const fields = Object.fromEntries(new URLSearchParams(method === 'POST' ? Buffer.concat(chunks).toString() : search));
  return { method, path, idempotencyKey: request.headers['idempotency-key'] as string | undefined, fields };
}

function checkTimestamp(timestamp: string): void {
  const age = Date.now() / 1000 - Number(timestamp);
  if (!/^\d+$/.test(timestamp) || age > MAX_AGE_SECONDS || age < -300)
    throw new Refusal(400, 'The timestamp is too far from now.');
}

function checkHeaders({ headers, method }: IncomingMessage): void {
  if (headers.authorization !== `Bearer ${STRIPE_SETTINGS.STRIPE_SECRET_KEY}`)
    throw new Refusal(401, 'Invalid API Key provided.');
  if (headers['stripe-version'] !== VERSION)
    throw new Refusal(400, `Another API version: ${String(headers['stripe-version'])}.`);
  if (method === 'POST' && headers['content-type'] !== 'application/x-www-form-urlencoded')
    throw new Refusal(400, 'The body is no form.');
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response
    .writeHead(status, {
      'content-type': 'application/json',
      'stripe-should-retry': 'false',
      'request-id': 'req_stripe',
    })
    .end(JSON.stringify(body));
}
