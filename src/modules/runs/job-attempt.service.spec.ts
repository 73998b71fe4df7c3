import { Logger } from '@nestjs/common';
import type { AuthService } from '../auth/auth.service';
import type { BillingService } from '../billing/billing.service';
import { ApiError } from '../../common/errors';
import type { CompareService } from '../execution/compare.service';
import { LockLostError } from '../execution/job-lock';
import { Metrics } from '../../platform/observability/metrics';
import { ClaimedJob } from './claimed-job';
import { JobAttemptService } from './job-attempt.service';
import type { JobsRepository } from './jobs.repository';

interface Around {
  thrown?: unknown;
  retries?: number;
  isStopping?: boolean;
  /** False if another process has claimed the job since. */
  isHeld?: boolean;
}

/** Runs one attempt of a job with an Idempotency-Key; returns what was done with it, and the counted outcome. */
async function attempt({ thrown, retries = 0, isStopping = false, isHeld = true }: Around) {
  const done: unknown[][] = [];
  const jobs = {
    inTransaction: (work: (tx: object) => unknown) => work({}),
    requeue: async (_claims: unknown, seconds: number, countsAsRetry: boolean) =>
      void done.push(['queued', seconds, countsAsRetry]),
    fail: async (_tx: object, _job: object, { code, message }: { code: string; message: string }) => {
      done.push(['failed', code, message]);
      return isHeld ? { userId: 'user', evalId: 'eval', idempotencyKey: 'one' } : undefined;
    },
  } as unknown as JobsRepository;
  const billing = {
    revokeAnnouncement: async (_tx: object, ...key: string[]) => void done.push(['key is free', ...key]),
  } as unknown as BillingService;
  const compare = {
    compare: async () => {
      done.push(['ran']);
      if (thrown !== undefined) throw thrown as Error;
    },
  } as unknown as CompareService;
  const metrics = new Metrics();
  const job = new ClaimedJob(
    {
      runId: 'run',
      evalId: 'eval',
      createdAt: new Date(),
      fence: 1,
      userId: 'user',
      keyId: 'key',
      body: { request: { prompt: 'Hello', models: ['a'] } },
      retries,
    },
    {} as JobsRepository,
  );
  await new JobAttemptService(
    jobs,
    billing,
    compare,
    { findCaller: async () => ({ scopes: ['compare'] }) } as unknown as AuthService,
    metrics,
  ).run(job, () => isStopping);
  return {
    done,
    outcomes: (await metrics.runs.get()).values.filter(({ value }) => value > 0).map(({ labels }) => labels['outcome']),
  };
}

const KEY_IS_FREE = ['key is free', 'user', 'one', 'eval'];

describe('An attempt of a run', () => {
  beforeAll(() => Logger.overrideLogger(false));

  test.each<[string, Around, unknown[][], string]>([
    ['is all where the eval is stored', {}, [['ran']], 'succeeded'],
    [
      'is followed by another a second later where the service could not run it',
      { thrown: new ApiError('unavailable') },
      [['ran'], ['queued', 1, true]],
      'requeued',
    ],
    [
      'is followed by another later each time',
      { thrown: new ApiError('overloaded'), retries: 5 },
      [['ran'], ['queued', 32, true]],
      'requeued',
    ],
    [
      'is followed by another a minute later at most',
      { thrown: new ApiError('unavailable'), retries: 9 },
      [['ran'], ['queued', 60, true]],
      'requeued',
    ],
    [
      'does not count where the process stops',
      { thrown: new ApiError('unavailable'), isStopping: true },
      [['ran'], ['queued', 0, false]],
      'requeued',
    ],
    [
      'is the last after ten others',
      { thrown: new ApiError('unavailable', { message: 'No.' }), retries: 10 },
      [['ran'], ['failed', 'unavailable', 'No.'], KEY_IS_FREE],
      'failed',
    ],
    [
      'is not begun an eleventh time',
      { retries: 11 },
      [['failed', 'internal_error', expect.stringContaining('begun 10 times')], KEY_IS_FREE],
      'failed',
    ],
    [
      'ends nothing that another process runs by now',
      { thrown: new LockLostError({ runId: 'run', fence: 1 }) },
      [['ran']],
      'lost',
    ],
    [
      'frees no Idempotency-Key of what another process runs by now',
      { thrown: new ApiError('payment_required', { message: 'No.' }), isHeld: false },
      [['ran'], ['failed', 'payment_required', 'No.']],
      'lost',
    ],
  ])('%s', async (_, around, done, outcome) => {
    expect(await attempt(around)).toEqual({ done, outcomes: [outcome] });
  });
});
