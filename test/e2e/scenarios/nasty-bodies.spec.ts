import fc from 'fast-check';
import { ApiDocument, type Operation } from '../../fuzz/document';
import { MAX_ERROR_BYTES } from '../../fuzz/judge';
import { nastyBodies } from '../../fuzz/nasty';
import { Api } from '../../support/api';
import { createCaller, eventually } from '../../support/factories';
import { NASTY_BODIES } from '../../support/nasty-bodies';
import { Pinger } from '../../support/pinger';
import { rawRequest, requestText } from '../../support/raw';
import { startService, TEST_SECRETS, type ServiceProcess } from '../../support/service';
import { startStripeServer, STRIPE_SETTINGS, type StripeServer } from '../../support/stripe-server';
import { leastWithin } from '../../support/timing';
import { worker } from '../../support/worker';

const MAX_BODY_BYTES = 1_048_576;
/** How much longer than in an idle run somebody else may wait. */
const MAX_DELAY_MS = 250;
/** Answers to others that make an idle run. */
const IDLE_PINGS = 40;
const PLENTY = '1000000000';
const WEBHOOK: Target = {
  method: 'POST',
  path: '/api/v1/billing/webhooks/stripe',
  members: ['id', 'type', 'data'],
  takesBody: true,
};

/** A route that a body can be sent to. */
interface Target {
  method: string;
  path: string;
  members: string[];
  /** True if it needs one. */
  takesBody: boolean;
}

/** True if a path takes no key. */
function isOpen(path: string): boolean {
  return path === WEBHOOK.path || path.startsWith('/api/v1/shared/');
}

describe('A small body that is meant to be expensive', () => {
  let service: ServiceProcess;
  let stripe: StripeServer;
  let pinger: Pinger;
  let key: string;
  let targets: Target[];
  const report: string[] = [];

  beforeAll(async () => {
    stripe = await startStripeServer();
    service = await startService({
      DATABASE_URL: worker().databaseUrl,
      SIMULATOR: 'on',
      ...STRIPE_SETTINGS,
      STRIPE_STAND_IN: stripe.url,
      RATE_LIMIT_COMPARE_PER_MINUTE: PLENTY,
      RATE_LIMIT_READ_PER_MINUTE: PLENTY,
      RATE_LIMIT_AUTH_FAILURES_PER_MINUTE: PLENTY,
    });
    key = (await createCaller({ at: service.url })).key ?? '';
    const document = new ApiDocument((await new Api(undefined, service.url).get('/docs-json')).body);
    targets = [
      ...document.operations.filter(({ method }) => method !== 'GET').map((operation) => targetOf(operation, document)),
      WEBHOOK,
    ];
    const other = await createCaller({ at: service.url });
    pinger = new Pinger({ url: service.url, keys: [other.key ?? ''], paths: ['/health/live', '/api/v1/models'] });
  });
  afterAll(async () => {
    await pinger.stop();
    await service.stop();
    await stripe.close();
    if (report.length > 0) process.stdout.write(`${report.join('\n')}\n`);
  });

  /** Sends a body to a route and holds the answer against what every bad request gets. */
  async function send({ method, path, takesBody }: Target, text: string, bearer: string | undefined): Promise<void> {
    const headers = {
      'Content-Type': 'application/json',
      ...(bearer !== undefined && { Authorization: `Bearer ${bearer}` }),
    };
    const answer = await rawRequest(service.url, Buffer.from(requestText(method, path, headers, text)));
    const { status = 0, body = '' } = answer ?? {};
    const isFine =
      status < 500 &&
      (takesBody || bearer === undefined ? status >= 400 : status >= 200) &&
      (isOpen(path) || (status === 401) === (bearer === undefined));
    expect({ method, path, status, body: body.slice(0, 300), isFine, isShort: body.length < MAX_ERROR_BYTES }).toEqual({
      method,
      path,
      status,
      body: body.slice(0, 300),
      isFine: true,
      isShort: true,
    });
  }

  const keyFor = ({ path }: Target) => (path.includes('/admin/') ? TEST_SECRETS.ADMIN_API_KEY : key);

  /** How much longer others waited while that was done than beside it, on a machine with nothing else to do. */
  async function delayOf(work: () => Promise<unknown>): Promise<number> {
    return leastWithin(MAX_DELAY_MS, async () => {
      const [idleMs, before] = [await pinger.over(IDLE_PINGS), slowness()];
      const busyMs = await pinger.during(work);
      return (busyMs - idleMs) / Math.max(before, slowness());
    });
  }

  it.each(NASTY_BODIES.map(({ what }) => what))(
    'delays no other request and is rejected with a short message: %s',
    async (what) => {
      const nasty = NASTY_BODIES.find((body) => body.what === what);
      const bodies = targets.map((target) => ({ target, text: nasty?.make(target.members, MAX_BODY_BYTES) ?? '' }));
      for (const { target, text } of bodies)
        expect([target.path, Buffer.byteLength(text) <= MAX_BODY_BYTES]).toEqual([target.path, true]);
      const delayMs = await delayOf(async () => {
        for (const { target, text } of bodies) {
          for (const bearer of [keyFor(target), undefined]) await send(target, text, bearer);
        }
      });
      report.push(`${what.padEnd(52)} ${delayMs.toFixed(0).padStart(6)} ms`);
      expect(delayMs).toBeLessThanOrEqual(MAX_DELAY_MS);
    },
  );

  it('delays no other request, with any content', async () => {
    const bodies = fc.constantFrom(...targets).chain((target) =>
      fc.record({
        target: fc.constant(target),
        text: nastyBodies(target.members, MAX_BODY_BYTES),
        isKnown: fc.boolean(),
      }),
    );
    await fc.assert(
      fc.asyncProperty(bodies, async ({ target, text, isKnown }) => {
        expect(await delayOf(() => send(target, text, isKnown ? keyFor(target) : undefined))).toBeLessThanOrEqual(
          MAX_DELAY_MS,
        );
      }),
      { numRuns: 40, endOnFailure: true },
    );
  });

  it('leaves no memory behind', async () => {
    const inUse = async () => {
      const { text } = await new Api(undefined, service.url).get('/metrics');
      return ['nodejs_heap_size_used_bytes', 'nodejs_external_memory_bytes'].reduce(
        (sum, name) => sum + Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]),
        0,
      );
    };
    const before = await inUse();
    const target = targets.find(({ path }) => path === '/api/v1/compare') as Target;
    const text = NASTY_BODIES[0]?.make(target.members, MAX_BODY_BYTES) ?? '';
    for (let i = 0; i < 50; i += 1) await send(target, text, key);
    // Of fifty bodies of a mebibyte, which take ten times as much when they are parsed.
    await eventually('the memory is free again', async () => (await inUse()) < before + 50 * MAX_BODY_BYTES);
  });
});

/** How much longer than its computing time something takes, because others use the machine too. */
function slowness(): number {
  const computed = () => process.threadCpuUsage().user / 1000;
  const [begunMs, begunComputedMs] = [performance.now(), computed()];
  while (computed() - begunComputedMs < 50);
  return Math.max(1, (performance.now() - begunMs) / 50);
}

function targetOf({ method, path, body }: Operation, document: ApiDocument): Target {
  return {
    method,
    path: path.replaceAll(/\{\w+\}/g, 'some-id'),
    members: document.membersOf(body),
    takesBody: body !== undefined,
  };
}
