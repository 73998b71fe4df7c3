import type { BillingService } from '../billing/billing.service';
import { Clock } from '../../common/clock';
import { Money } from '../../common/money';
import { storedCommand } from '../runs/job-command';
import { CANCELED_EXPERIMENT } from './experiment.entity';
import { ExperimentsService } from './experiments.service';
import type { DatasetsService } from '../datasets/datasets.service';
import type { EvalsService } from '../evals/evals.service';
import type { ExperimentsRepository, ExperimentWithRunning } from './experiments.repository';

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
});
