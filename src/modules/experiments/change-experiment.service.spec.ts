import type { Caller } from '../auth/caller';
import { Clock } from '../../common/clock';
import { ApiError } from '../../common/errors';
import { Money } from '../../common/money';
import { Config } from '../../platform/config/config';
import type { DatasetsService } from '../datasets/datasets.service';
import type { JobWorkerService } from '../runs/job-worker.service';
import { storedCommand } from '../runs/job-command';
import { ChangeExperimentService } from './change-experiment.service';
import { ExamineExperimentService } from './examine-experiment.service';
import { CANCELED_EXPERIMENT, GOES_ON_BY, PAUSE_REASONS, type Experiment, type PauseReason } from './experiment.entity';
import type { ExperimentCommand } from './experiment.types';
import type { ExperimentsRepository } from './experiments.repository';

const ID = `exp_${'0'.repeat(26)}`;
const AT = new Date('2026-11-27T12:00:00.000Z');
const minutesBefore = (minutes: number) => new Date(AT.getTime() - minutes * 60_000);
const CALLER = {
  userId: 'user',
  keyId: 'successor',
  hasPaymentMethod: false,
  allowedModels: null,
} as unknown as Caller;

class FixedClock extends Clock {
  override now(): Date {
    return AT;
  }
}

interface Around {
  caller?: Partial<Caller>;
  started?: { running: number; today: number };
  enforcement?: string;
  /** Failed rows that a retry takes. */
  failed?: number;
  /** The experiment of the same Idempotency-Key, and when it was started. */
  earlier?: { id: string; fingerprint: string; at: Date };
  isDatasetGone?: boolean;
}

/** The service above one experiment. */
function serviceOf(
  members: Partial<Experiment>,
  {
    caller,
    started = { running: 0, today: 0 },
    enforcement = 'meter',
    failed = 1,
    earlier,
    isDatasetGone = false,
  }: Around = {},
) {
  const command = storedCommand({
    prompt: '{input}',
    models: ['sim-swift', 'sim-quill'],
    input: undefined,
    checks: [],
    samples: 1,
    options: {},
  } as never);
  const experiment = {
    id: ID,
    userId: 'user',
    keyId: 'first',
    datasetId: 'ds',
    spec: { command, options: undefined, limit: null },
    state: 'running',
    reason: null,
    reasonDetail: null,
    cost: Money.of('1'),
    maxCost: Money.of('2'),
    open: 3,
    failed: 1,
    summary: { old: true },
    createdAt: minutesBefore(70),
    dealtAt: minutesBefore(60),
    startedAt: null,
    finishedAt: null,
    ...members,
  } as unknown as Experiment;
  let inserted: Experiment | undefined;
  const repository = {
    inTransaction: (work: (tx: object) => unknown) => work({}),
    lock: async () => experiment,
    countStarted: async () => started,
    held: async () => Money.of('0.5'),
    findByKey: async (_user: string, _key: string, since: Date) =>
      earlier !== undefined && earlier.at > since ? earlier : undefined,
    dropWaiting: async () => undefined,
    takeMissing: async () => [],
    retryFailed: async () => ({ rows: failed, first: failed }),
    insert: async (_tx: object, one: Experiment) => {
      inserted = one;
    },
  } as unknown as ExperimentsRepository;
  const datasets = {
    lockForUse: async () => {
      if (isDatasetGone) throw new ApiError('not_found');
    },
  } as unknown as DatasetsService;
  const clock = new FixedClock();
  const config = Config.read({
    DATABASE_URL: 'postgresql://here/db',
    ADMIN_API_KEY: 'x'.repeat(16),
    API_KEY_PEPPER: 'y'.repeat(16),
    BILLING_ENFORCEMENT: enforcement,
  });
  const examination = new ExamineExperimentService(datasets, {} as never, {} as never, config, clock);
  examination.examine = async () => ({ rows: 10, models: [], judges: [] });
  Object.assign(repository, { judges: { cancelWaiting: () => Promise.resolve() } });
  const service = new ChangeExperimentService(
    repository,
    examination,
    datasets,
    { wake: () => undefined } as JobWorkerService,
    clock,
  );
  const change = (request: object) => service.change({ ...CALLER, ...caller }, ID, request);
  const start = (members: object = {}, key?: string) =>
    service.start(
      { ...CALLER, ...caller },
      {
        datasetId: 'ds',
        command: { models: ['sim-swift'] },
        spec: { limit: null },
        ...members,
      } as unknown as ExperimentCommand,
      key,
    );
  return { experiment, change, start, inserted: () => inserted };
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: { code: string }) => error.code,
  );

const ACTS = {
  resume: { state: 'running' },
  'raised cap': { max_cost_usd: 3 },
  retry: { retry: 'failed' },
  cancel: { state: CANCELED_EXPERIMENT },
} as const;

describe('A paused experiment', () => {
  /** The state after each act; docs/experiments.md has this table. */
  const goesOnByResume = { resume: 'running', 'raised cap': 'paused', retry: 'paused', cancel: CANCELED_EXPERIMENT };
  const TABLE: Readonly<Record<PauseReason, Readonly<Record<keyof typeof ACTS, string>>>> = {
    by_user: goesOnByResume,
    cap_reached: { resume: 'conflict', 'raised cap': 'running', retry: 'paused', cancel: CANCELED_EXPERIMENT },
    spend_limit_reached: goesOnByResume,
    payment_required: goesOnByResume,
    key_revoked: goesOnByResume,
    model_gone: goesOnByResume,
    model_not_allowed: goesOnByResume,
    failing: goesOnByResume,
    waiting_for_answers: {
      resume: 'conflict',
      'raised cap': 'conflict',
      retry: 'conflict',
      cancel: CANCELED_EXPERIMENT,
    },
  };
  const cases = PAUSE_REASONS.flatMap((reason) =>
    Object.entries(TABLE[reason]).map(([act, then]) => [reason, act as keyof typeof ACTS, then] as const),
  );

  test.each(cases)('with %s, after %s: %s', async (reason, act, then) => {
    const { experiment, change } = serviceOf({ state: 'paused', reason });
    expect(await codeOf(change(ACTS[act]))).toBe(then === 'conflict' ? 'conflict' : 'done');
    const state = then === 'conflict' ? 'paused' : then;
    expect([experiment.state, experiment.reason]).toEqual([state, state === 'paused' ? reason : null]);
  });

  test('is described by the same table in the code', () => {
    expect(
      Object.entries(TABLE)
        .filter(([, acts]) => acts['raised cap'] === 'running')
        .map(([reason]) => reason),
    ).toEqual(
      Object.entries(GOES_ON_BY)
        .filter(([, act]) => act === 'raised cap')
        .map(([reason]) => reason),
    );
  });

  test('at its cap does not go on by the same cap, nor by one below what is spent and held', async () => {
    for (const [cap, code] of [
      [2, 'done'],
      [1.5, 'done'],
      [1.499999, 'conflict'],
    ] as const) {
      const { experiment, change } = serviceOf({ state: 'paused', reason: 'cap_reached' });
      expect([
        cap,
        await codeOf(change({ max_cost_usd: cap })),
        experiment.state,
        experiment.keyId,
        experiment.maxCost.toString(),
      ]).toEqual([cap, code, 'paused', 'first', code === 'done' ? String(cap) : '2']);
    }
  });

  test.each(['erasing', 'erased'] as const)('that is %s cannot be changed', async (state) => {
    for (const act of [...Object.values(ACTS), {}]) {
      const { experiment, change } = serviceOf({ state });
      expect([await codeOf(change(act)), experiment.state]).toEqual(['conflict', state]);
    }
  });

  test('goes on without the paused hour in the time by which the rest is estimated', async () => {
    const { experiment, change } = serviceOf({ state: 'paused', reason: 'by_user' });
    await change({ state: 'running' });
    expect(experiment.startedAt).toEqual(minutesBefore(10));
    Object.assign(experiment, { state: 'paused', reason: 'by_user', dealtAt: minutesBefore(5) });
    await change({ state: 'running' });
    expect(experiment.startedAt).toEqual(minutesBefore(5));
  });
});

describe('An experiment in another state', () => {
  /** The state after each act. */
  const TABLE = {
    pause: { running: 'paused', finished: 'conflict', [CANCELED_EXPERIMENT]: 'conflict' },
    resume: { running: 'running', finished: 'conflict', [CANCELED_EXPERIMENT]: 'conflict' },
    'raised cap': { running: 'running', finished: 'finished', [CANCELED_EXPERIMENT]: 'conflict' },
    retry: { running: 'running', finished: 'running', [CANCELED_EXPERIMENT]: 'conflict' },
    cancel: { running: CANCELED_EXPERIMENT, finished: 'conflict', [CANCELED_EXPERIMENT]: CANCELED_EXPERIMENT },
  } as const;
  const cases = Object.entries(TABLE).flatMap(([act, states]) =>
    Object.entries(states).map(
      ([state, then]) => [state as keyof typeof states, act as keyof typeof TABLE, then] as const,
    ),
  );

  test.each(cases)('that is %s, after %s: %s', async (state, act, then) => {
    const { experiment, change } = serviceOf({ state, reason: null });
    expect(await codeOf(change(act === 'pause' ? { state: 'paused' } : ACTS[act]))).toBe(
      then === 'conflict' ? 'conflict' : 'done',
    );
    expect(experiment.state).toBe(then === 'conflict' ? state : then);
  });
});

describe('The payer of the rest', () => {
  test.each([
    ['resume', 'paused', 'key_revoked'],
    ['raised cap', 'paused', 'cap_reached'],
    ['raised cap', 'running', null],
    ['retry', 'finished', null],
    ['retry', 'running', null],
  ] as const)('is the key of a %s of a %s one', async (act, state, reason) => {
    const { experiment, change } = serviceOf({ state, reason });
    await change(ACTS[act]);
    expect([experiment.keyId, experiment.state]).toEqual(['successor', 'running']);
  });

  test.each([
    ['pause', { state: 'paused' }, 1],
    ['resume of a running one', { state: 'running' }, 1],
    ['lowered cap', { max_cost_usd: 1.75 }, 1],
    ['retry of nothing', { retry: 'failed' }, 0],
  ])('stays the same after a %s', async (_, request, failed) => {
    const { experiment, change } = serviceOf({ state: 'running' }, { failed });
    await change(request);
    expect(experiment.keyId).toBe('first');
  });

  test.each([
    ['payment_required', { enforcement: 'require_payment_method' }],
    ['model_not_allowed', { caller: { allowedModels: ['sim-swift'] } }],
    ['rate_limited', { started: { running: 3, today: 3 } }],
  ])('is refused with %s before anything changes', async (code, around) => {
    for (const [act, state, reason] of [
      ['resume', 'paused', 'by_user'],
      ['raised cap', 'paused', 'cap_reached'],
      ['retry', 'finished', null],
    ] as const) {
      const { experiment, change } = serviceOf({ state, reason }, around);
      expect([act, await codeOf(change(ACTS[act])), experiment.state]).toEqual([act, code, state]);
    }
  });
});

describe('The start of an experiment', () => {
  test.each([
    ['payment_required', { enforcement: 'require_payment_method' }, undefined],
    ['rate_limited', { started: { running: 3, today: 3 } }, 60],
    ['rate_limited', { started: { running: 0, today: 100 } }, 3600],
    ['not_found', { isDatasetGone: true }, undefined],
  ])('is refused with %s, and nothing is stored', async (code, around, retryAfterSeconds) => {
    const { start, inserted } = serviceOf({}, around);
    await expect(start()).rejects.toMatchObject({ code, retryAfterSeconds });
    expect(inserted()).toBeUndefined();
  });

  test('is possible as the third at a time and the hundredth of a day, with a payment method', async () => {
    const { start, inserted } = serviceOf(
      {},
      { started: { running: 2, today: 99 }, enforcement: 'require_payment_method', caller: { hasPaymentMethod: true } },
    );
    await start();
    expect(inserted()?.keyId).toBe('successor');
  });

  test.each<[string, number, object, unknown]>([
    ['is the same experiment for a day', 1439, {}, { id: ID, isReplay: true }],
    ['is another one a day later', 1440, {}, { id: expect.not.stringMatching(ID), isReplay: false }],
    ['is refused for another name', 1439, { name: 'other' }, 'idempotency_key_reused'],
    ['is refused for another cap', 1439, { maxCost: Money.of('3') }, 'idempotency_key_reused'],
    ['is refused for more rows at a time', 1439, { parallel: 9 }, 'idempotency_key_reused'],
  ])('with an Idempotency-Key %s', async (_, minutes, members, end) => {
    const first = serviceOf({}, {});
    await first.start({}, 'one');
    const { start } = serviceOf(
      {},
      { earlier: { id: ID, fingerprint: first.inserted()?.fingerprint ?? '', at: minutesBefore(minutes) } },
    );
    expect(await start(members, 'one').catch(({ code }: ApiError) => code)).toEqual(end);
  });

  test('does not count the starts of a day for an experiment that goes on', async () => {
    const { experiment, change } = serviceOf(
      { state: 'paused', reason: 'by_user' },
      { started: { running: 2, today: 100 } },
    );
    await change({ state: 'running' });
    expect(experiment.state).toBe('running');
  });
});

describe('A retry', () => {
  test('removes the summary of before, and is refused for a canceled one', async () => {
    const finished = serviceOf({ state: 'finished' });
    await finished.change({ retry: 'failed' });
    expect([finished.experiment.summary, finished.experiment.open, finished.experiment.failed]).toEqual([null, 4, 0]);
    const canceled = serviceOf({ state: CANCELED_EXPERIMENT });
    expect([await codeOf(canceled.change({ retry: 'failed' })), canceled.experiment.summary]).toEqual([
      'conflict',
      { old: true },
    ]);
  });

  test('is refused where the data set was deleted since', async () => {
    const { change, experiment } = serviceOf({ state: 'finished' }, { isDatasetGone: true });
    await expect(change({ retry: 'failed' })).rejects.toMatchObject({
      code: 'conflict',
      message: 'The data set of this experiment was deleted.',
    });
    expect(experiment.state).toBe('finished');
  });
});
