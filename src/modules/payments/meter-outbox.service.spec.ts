import { Logger } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Metrics } from '../../platform/observability/metrics';
import type { ClaimedEvent, MeterEventsRepository } from './meter-events.repository';
import { MeterOutboxService } from './meter-outbox.service';
import type { StripeService } from './stripe.service';

const NOW = new Date('2026-11-21T10:00:00.000Z');

function anEvent(chargeId: string, changes: Partial<ClaimedEvent> = {}): ClaimedEvent {
  return {
    chargeId,
    userId: 'user_1',
    nanoUsd: 1n,
    occurredAt: NOW,
    attempts: 1,
    uncertainSeconds: 0,
    stripeCustomerId: 'cus_1',
    ...changes,
  };
}

/**
 * How a look goes on: how long the claim takes, what Stripe says, and after how many events the service is asked to
 * stop.
 */
interface Course {
  claimMs?: number;
  delivery?: object;
  stopAfter?: number;
}

/**
 * One round of the outbox on these events, each of which takes Stripe `ms` milliseconds; returns their states, in
 * order.
 */
async function look(
  events: ClaimedEvent[],
  tookMs: number,
  { claimMs = 0, delivery = { isThere: true }, stopAfter }: Course = {},
): Promise<{ done: string[]; claims: number[][] }> {
  let monotonicMs = 1_000_000;
  const done: string[] = [];
  const underWay = new Set<string>();
  const claims: number[][] = [];
  const repository = {
    claim: async (limit: number, seconds: number) => {
      claims.push([limit, seconds]);
      monotonicMs += claimMs;
      return claims.length === 1 ? events : [];
    },
    markSent: async (id: string) => void done.push(`${id} sent`),
    markFailed: async (id: string, _reason: string, mayHaveArrived: boolean, waitSeconds: number) =>
      void done.push(`${id} failed, ${mayHaveArrived ? 'perhaps there' : 'not there'}, again in ${waitSeconds} s`),
    deadLetter: async (id: string) => void done.push(`${id} parked`),
  };
  const stripe = {
    sendMeterEvent: async ({ chargeId, userId }: ClaimedEvent) => {
      if (underWay.has(userId)) done.push(`${chargeId} beside another of its customer`);
      underWay.add(userId);
      monotonicMs += tookMs;
      if (done.length + 1 === stopAfter) void outbox.beforeApplicationShutdown();
      await Promise.resolve();
      underWay.delete(userId);
      return delivery;
    },
  };
  const clock = Object.assign(new Clock(), { now: () => NOW, monotonicMs: () => monotonicMs });
  const outbox = new MeterOutboxService(
    repository as unknown as MeterEventsRepository,
    stripe as unknown as StripeService,
    clock,
    new Metrics(),
  );
  outbox.onApplicationBootstrap();
  await jest.advanceTimersByTimeAsync(1);
  await outbox.beforeApplicationShutdown();
  return { done, claims };
}

describe('MeterOutboxService', () => {
  beforeAll(() => {
    Logger.overrideLogger(false);
    jest.useFakeTimers();
  });
  afterAll(() => void jest.useRealTimers());

  test('starts no request that could outlast its claim of 20 s, and leaves the rest to another claim', async () => {
    const events = ['a', 'b', 'c', 'd'].map((id) => anEvent(id));
    // A request takes Stripe 8 s at most, and 2 s are kept for the database.
    expect((await look(events, 5000)).done).toEqual(['a sent', 'b sent', 'c sent']);
    expect((await look(events, 5001)).done).toEqual(['a sent', 'b sent']);
    expect((await look(events, 8000)).done).toEqual(['a sent', 'b sent']);
    expect((await look(events, 1)).claims[0]).toEqual([50, 20]);
  });

  test('counts the duration of the claim itself, because the database may have made it at its beginning', async () => {
    const events = ['a', 'b', 'c'].map((id) => anEvent(id));
    expect((await look(events, 5000, { claimMs: 5000 })).done).toEqual(['a sent', 'b sent']);
    expect((await look(events, 5000, { claimMs: 10_001 })).done).toEqual([]);
  });

  test('finishes the current request and sends nothing more when the service stops', async () => {
    const events = ['a', 'b', 'c'].map((id) => anEvent(id));
    expect((await look(events, 1, { stopAfter: 2 })).done).toEqual(['a sent', 'b sent']);
  });

  test.each([
    [1, 1],
    [49, 1],
    [50, 2],
  ])(
    'reads an outbox of %d due events %d times before the next pause: again only after a full batch',
    async (due, looks) => {
      const events = Array.from({ length: due }, (_, index) => anEvent(`chg_${index}`));
      const { done, claims } = await look(events, 1);
      expect([done.length, claims.length]).toEqual([due, looks]);
    },
  );

  test('sends the events of one customer one by one, and those of several customers in parallel', async () => {
    const events = [anEvent('a'), anEvent('b', { userId: 'user_2' }), anEvent('c')];
    expect((await look(events, 1)).done).toEqual(['a sent', 'b sent', 'c sent']);
  });

  test.each([
    [1, 1],
    [2, 2],
    [5, 16],
    [12, 2048],
    [13, 3600],
    [40, 3600],
  ])('delays an event that failed for the %dth time by %d s', async (attempts, seconds) => {
    const events = [anEvent('a', { attempts })];
    expect(
      (await look(events, 1, { delivery: { isThere: false, mayHaveArrived: true, reason: 'late' } })).done,
    ).toEqual([`a failed, perhaps there, again in ${seconds} s`]);
    expect(
      (await look(events, 1, { delivery: { isThere: false, mayHaveArrived: false, reason: 'refused' } })).done,
    ).toEqual([`a failed, not there, again in ${seconds} s`]);
  });

  test('goes on to count as perhaps there when a later attempt is refused, since an earlier one may have arrived', async () => {
    const refused = { delivery: { isThere: false, mayHaveArrived: false, reason: 'refused' } };
    expect((await look([anEvent('a', { attempts: 2, uncertainSeconds: 1 })], 1, refused)).done).toEqual([
      'a failed, perhaps there, again in 2 s',
    ]);
  });

  test('dead-letters events that must not be sent any more, without a request to Stripe', async () => {
    const day = 86_400_000;
    const events = [
      anEvent('a', { occurredAt: new Date(NOW.getTime() - 34 * day - 1) }),
      anEvent('b', { uncertainSeconds: 23 * 3600 + 1 }),
      anEvent('c', { occurredAt: new Date(NOW.getTime() - 34 * day), uncertainSeconds: 23 * 3600 }),
    ];
    expect((await look(events, 1)).done).toEqual(['a parked', 'b parked', 'c sent']);
  });
});
