import type { BillingService } from '../billing/billing.service';
import { Clock } from '../../common/clock';
import { Money } from '../../common/money';
import { storedCommand } from '../runs/job-command';
import { CANCELED_EXPERIMENT, type ExperimentWithRunning } from './experiment.entity';
import { ExperimentsService } from './experiments.service';
import type { DatasetsService } from '../datasets/datasets.service';
import type { ExperimentView } from './experiment.types';
import type { EvalsService } from '../evals/evals.service';
import type { ExperimentsRepository } from './experiments.repository';

const ID = `exp_${'0'.repeat(26)}`;
const AT = new Date('2026-11-27T12:00:00.000Z');
const secondsBefore = (seconds: number) => new Date(AT.getTime() - seconds * 1000);

/** The view of an experiment of 100 rows that was created 200 s ago. */
async function viewOf(members: Partial<ExperimentWithRunning>) {
  const command = storedCommand({
    prompt: '{input}',
    models: ['a'],
    input: undefined,
    checks: [],
    samples: 1,
    options: {},
  } as never);
  const experiment = {
    id: ID,
    spec: { command },
    state: 'running',
    rowCount: 100,
    done: 15,
    failed: 5,
    open: 8,
    running: 3,
    cost: Money.of('0.5'),
    costSpread: 0.01,
    maxCost: Money.of('2'),
    createdAt: secondsBefore(200),
    startedAt: null,
    ...members,
  };
  const billing = { chargeOf: (amount: Money) => amount } as unknown as BillingService;
  return new ExperimentsService(
    { find: async () => experiment } as unknown as ExperimentsRepository,
    {} as DatasetsService,
    {} as EvalsService,
    billing,
    Object.assign(new Clock(), { now: () => AT }),
  ).get({ userId: 'user' }, ID);
}

describe('An experiment as its user sees it', () => {
  test.each<[number | null, string, Partial<ExperimentWithRunning>]>([
    [800, 'of 20 rows in 200 s, failed ones included', {}],
    [80, 'without the time of its pauses', { startedAt: secondsBefore(20) }],
    [34, 'rounded up', { done: 82, failed: 4, createdAt: secondsBefore(205) }],
    [0, 'of nothing', { done: 100, failed: 0 }],
    [null, 'before 20 rows', { done: 14 }],
    [null, 'while it is paused', { state: 'paused' }],
    [null, 'after its end', { state: 'finished', done: 95 }],
  ])('has %p seconds left: %s', async (seconds, _, members) => {
    expect((await viewOf(members)).etaSeconds).toBe(seconds);
  });

  test.each<[number, Partial<ExperimentWithRunning>]>([
    [5, {}],
    [5, { state: 'paused' }],
    [0, { state: CANCELED_EXPERIMENT }],
    [0, { open: 2 }],
  ])('has %d rows that wait, with %j', async (waiting, members) => {
    expect((await viewOf(members)).waiting).toBe(waiting);
  });

  // Of 100 rows, 20 have ended and cost $0.50: 2.5, and t(19) * 0.01 * 100 * sqrt(0.8 / 20) on both sides.
  test.each<[ExperimentView['projectedCost'], string, Partial<ExperimentWithRunning>]>([
    [{ usd: 2.5, ci: [2.0814, 2.9186] }, 'by the mean of the rows so far', {}],
    [{ usd: 2.5, ci: [2.0814, 2.9186] }, 'also while it is paused', { state: 'paused' }],
    [{ usd: 2.5, ci: [0.5, 6.68605] }, 'at least the cost so far', { costSpread: 0.1 }],
    [{ usd: 16.6667, ci: [14.2201, 19.1133] }, 'from the third row on', { done: 3, failed: 0 }],
    [null, 'not before', { done: 1, failed: 1 }],
    [null, 'not after its end', { state: 'finished' }],
  ])('will probably cost %j: %s', async (projected, _, members) => {
    expect((await viewOf(members)).projectedCost).toEqual(projected);
  });
});
