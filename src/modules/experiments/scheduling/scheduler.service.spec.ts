import { Logger } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { ApiError } from '../../../common/errors';
import { Money } from '../../../common/money';
import type { StoredEval } from '../../evals/evals.service';
import type { Metrics } from '../../../platform/observability/metrics';
import { storedCommand } from '../../runs/job-command';
import type { SummariesService } from '../summary/summaries.service';
import { SchedulerService } from './scheduler.service';
import type { ClaimedRow } from './claimed-row';
import type { PricedRowsService } from './priced-rows.service';
import type { RowAttemptService } from './row-attempt.service';
import { RowEndsService } from './row-ends.service';
import type { RowsRepository } from './rows.repository';

const PARALLEL = 8;
const COMMAND = storedCommand({
  prompt: '{input}',
  input: undefined,
  models: ['a'],
  samples: 1,
  options: { temperature: 0, isTemperatureGiven: true, isMaxTokensGiven: true, maxTokens: 7 },
  checks: [],
});
const DETAILS = { rates: null, ttftMs: null, cachedInputTokens: 0 };
const GOOD = {
  position: 0,
  error: null,
  output: 'yes',
  checks: null,
  latencyMs: 1,
  warnings: [],
  inputTokens: 1,
  outputTokens: 1,
  cost: Money.zero,
  details: DETAILS,
};
const LIMITED = { ...GOOD, error: { code: 'rate_limited' } };

/** A scheduler of one experiment without a last row, and the number of its rows that it runs at once. */
function scheduling() {
  let [running, nextNo] = [0, 0];
  const rows = {
    claimExpired: async () => [],
    next: async (limits: Record<string, number>) =>
      running < (limits['exp'] ?? PARALLEL)
        ? {
            id: 'exp',
            spec: { command: COMMAND },
            parallel: PARALLEL,
            running,
            cost: Money.zero,
            held: Money.zero,
            maxCost: Money.of('1'),
            candidates: 1,
          }
        : undefined,
    schedule: async () => true,
    hasUnfinished: async () => true,
    succeed: async () => 'running',
  } as unknown as RowsRepository;
  const priced = {
    next: async (_experiment: object, count: number) =>
      Array.from({ length: count }, () => ({ texts: { no: nextNo++ }, waiting: undefined, maxCost: Money.zero })),
  } as unknown as PricedRowsService;
  const scheduler = new SchedulerService(
    rows,
    priced,
    {} as RowAttemptService,
    new RowEndsService(rows, new Clock(), {} as Metrics, {} as SummariesService, {} as never),
    new Clock(),
  );
  const held: ClaimedRow[] = [];
  return {
    /** Schedules to as many slots as there are. Returns the number of rows that run then. */
    schedule: async () => {
      held.push(...((await scheduler.claim(100)) ?? []));
      return (running = held.length);
    },
    /** Ends some of the running rows. */
    end: async (count: number, result: object) => {
      for (const row of held.splice(0, count))
        await row.markStored({
          record: { models: ['a'], totalCost: Money.zero, charge: Money.zero, checks: null },
          results: [result],
        } as unknown as StoredEval);
      running = held.length;
    },
  };
}

beforeAll(() => Logger.overrideLogger(false));
afterAll(() => Logger.overrideLogger(true));

describe('The scheduler', () => {
  it('schedules fewer rows at once after a rate limit, and one more after each 20 good rows', async () => {
    const { schedule, end } = scheduling();
    expect(await schedule()).toBe(8);
    await end(1, LIMITED);
    await end(7, GOOD);
    const atOnce = [];
    for (let round = 0; round < 30; round += 1) {
      atOnce.push(await schedule());
      await end(8, GOOD);
    }
    expect([atOnce[0], atOnce[29]]).toEqual([4, 8]);
    expect(atOnce).toEqual(atOnce.toSorted());
  });
});

describe('A schedule of several experiments', () => {
  it('that fails for one of them keeps the rows of the others, before and after it', async () => {
    const waiting = ['first', 'broken', 'last'];
    const rows = {
      claimExpired: async () => [],
      hasUnfinished: async () => true,
      schedule: async () => true,
      next: async () =>
        waiting.length === 0
          ? undefined
          : {
              id: waiting.shift(),
              spec: { command: COMMAND },
              parallel: PARALLEL,
              running: 0,
              cost: Money.zero,
              held: Money.zero,
              maxCost: Money.of('1'),
              candidates: 1 + waiting.length,
            },
    } as unknown as RowsRepository;
    const next = async ({ id }: { id: string }) =>
      id === 'broken'
        ? Promise.reject(new Error('lost'))
        : [{ texts: { no: 0 }, waiting: undefined, maxCost: Money.zero }];
    const held = await new SchedulerService(
      rows,
      { next } as unknown as PricedRowsService,
      {} as RowAttemptService,
      new RowEndsService(rows, new Clock(), {} as Metrics, {} as SummariesService, {} as never),
      new Clock(),
    ).claim(100);
    expect(held?.map(({ row: { experimentId } }) => experimentId)).toEqual(['first', 'last']);
  });
});

describe('A schedule under a cap', () => {
  /** A scheduler of one experiment that has spent 0.4 of 1, with rows of these prices next. */
  const scheduleOf = async ({
    running,
    held,
    prices,
    problem,
  }: {
    running: number;
    held: string;
    prices: string[];
    problem?: Error;
  }) => {
    const log: string[] = [];
    const rows = {
      claimExpired: async () => [],
      hasUnfinished: async () => true,
      next: async () =>
        log.includes('asked')
          ? undefined
          : (log.push('asked'),
            {
              id: 'exp',
              spec: { command: COMMAND },
              parallel: PARALLEL,
              running,
              cost: Money.of('0.4'),
              held: Money.of(held),
              maxCost: Money.of('1'),
              candidates: 1,
            }),
      schedule: async (_experiment: object, { fresh }: { fresh: { maxCost: Money }[] }) =>
        log.push(`dealt ${fresh.map(({ maxCost }) => maxCost.toString()).join(' ')}`) > 0,
      pauseUnscheduled: async (_experiment: object, { reason }: { reason: string }) => log.push(`paused ${reason}`) > 0,
    } as unknown as RowsRepository;
    const priced = {
      next: async () =>
        problem === undefined
          ? prices.map((price, no) => ({ texts: { no }, waiting: undefined, maxCost: Money.of(price) }))
          : Promise.reject(problem),
    } as unknown as PricedRowsService;
    const metrics = { experimentCapsReached: { inc: () => undefined } } as unknown as Metrics;
    await new SchedulerService(
      rows,
      priced,
      {} as RowAttemptService,
      new RowEndsService(rows, new Clock(), metrics, {} as SummariesService, {} as never),
      new Clock(),
    ).claim(100);
    return log.slice(1);
  };

  it.each([
    [
      'takes the rows that fit to the last digit',
      { running: 0, held: '0', prices: ['0.3', '0.3', '0.1'] },
      ['dealt 0.3 0.3'],
    ],
    ['counts what running rows may cost', { running: 1, held: '0.3', prices: ['0.3', '0.3'] }, ['dealt 0.3']],
    ['takes no later row before one that does not fit', { running: 1, held: '0.3', prices: ['0.31', '0.1'] }, []],
    [
      'pauses no experiment whose rows still run, because they may leave room',
      { running: 1, held: '0.3', prices: ['0.4'] },
      [],
    ],
    [
      'pauses where nothing runs and the next row does not fit',
      { running: 0, held: '0', prices: ['0.61'] },
      ['paused cap_reached'],
    ],
    ['pauses nothing where no row is left', { running: 0, held: '0', prices: [] }, []],
    [
      'pauses where a model is gone',
      { running: 1, held: '0', prices: [], problem: new ApiError('unknown_model') },
      ['paused model_gone'],
    ],
  ])('%s', async (_, given, expected) => {
    expect(await scheduleOf(given)).toEqual(expected);
  });

  it('pauses nothing by a mistake of ours', async () => {
    expect(await scheduleOf({ running: 0, held: '0', prices: [], problem: new Error('broken') })).toEqual([]);
  });
});
