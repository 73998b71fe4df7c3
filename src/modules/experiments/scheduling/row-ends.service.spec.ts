import { Clock } from '../../../common/clock';
import { ApiError } from '../../../common/errors';
import { Money } from '../../../common/money';
import type { StoredEval } from '../../evals/evals.service';
import { LockLostError } from '../../execution/job-lock';
import type { Metrics } from '../../../platform/observability/metrics';
import { storedCommand } from '../../runs/job-command';
import type { ClaimedRow } from './claimed-row';
import { RowEndsService } from './row-ends.service';
import type { SummariesService } from '../summary/summaries.service';
import type { RowsRepository } from './rows.repository';

const COMMAND = storedCommand({
  prompt: '{input}',
  input: undefined,
  models: ['a'],
  samples: 1,
  options: { temperature: 0, isTemperatureGiven: true, isMaxTokensGiven: true, maxTokens: 7 },
  checks: [],
});
const FAILED = new ApiError('all_models_failed', {
  details: { models: [{ model: 'a', error: { code: 'rate_limited', message: 'Too many.', retryable: true } }] },
});

describe('The ends of rows', () => {
  it.each([
    ['running', { exp: 4 }],
    ['paused', {}],
    ['finished', {}],
  ])('leave the pace of an experiment that is %s after a failure as %j', async (state, limits) => {
    const ends = new RowEndsService(
      { fail: async () => state } as unknown as RowsRepository,
      new Clock(),
      {} as Metrics,
      {} as SummariesService,
      {} as never,
    );
    await ends.fail(
      {
        row: { experimentId: 'exp', models: null },
        owner: { spec: { command: COMMAND }, parallel: 8 },
      } as unknown as ClaimedRow,
      FAILED,
    );
    expect(ends.limits).toEqual(limits);
  });

  /**
   * Ends rows in which model a answers and model b does not, in an experiment with this state afterwards; `lost` is a
   * lost lease.
   */
  async function endsOf(rows: number, state = 'running') {
    const [stored, paused, kept]: [object[], unknown[], string[]] = [[], [], []];
    const after = state === 'lost' ? undefined : state;
    const repository = {
      succeed: async (_claim: object, end: object) => {
        stored.push(end);
        return after;
      },
      fail: async () => after,
      pause: async (_id: string, pause: object) => void paused.push(pause),
    } as unknown as RowsRepository;
    const ends = new RowEndsService(
      repository,
      new Clock(),
      {} as Metrics,
      {
        keepFinal: async (userId: string, id: string) => void kept.push(`${id} of ${userId}`),
      } as unknown as SummariesService,
      {} as never,
    );
    const row = {
      userId: 'user',
      row: { experimentId: 'exp', models: null },
      owner: { spec: { command: { ...COMMAND, request: { ...COMMAND.request, models: ['a', 'b'] } } }, parallel: 8 },
    } as unknown as ClaimedRow;
    const result = {
      output: 'yes',
      checks: null,
      latencyMs: 1,
      warnings: [],
      inputTokens: 1,
      outputTokens: 1,
      cost: Money.of('0.5'),
      error: null,
      details: { rates: null, ttftMs: null, cachedInputTokens: 0 },
    };
    const failed = { ...result, output: '', cost: Money.zero, error: { code: 'rejected' } };
    const outcome = {
      record: { models: ['a', 'b'], totalCost: Money.of('0.5'), charge: Money.of('0.7'), checks: null },
      results: [
        { ...result, position: 0 },
        { ...failed, position: 1 },
      ],
    } as unknown as StoredEval;
    const held: boolean[] = [];
    for (let no = 0; no < rows; no += 1) held.push(await ends.succeed(row, outcome));
    return { ends, row, stored, paused, kept, held };
  }

  it('store what the row cost and was charged, and the models without an answer', async () => {
    const { stored, held } = await endsOf(1);
    expect([held, stored]).toEqual([
      [true],
      [{ cost: Money.of('0.5'), charge: Money.of('0.7'), figures: expect.any(Array) as unknown, missing: ['b'] }],
    ]);
  });

  it.each([
    [19, []],
    [20, [{ reason: 'failing', detail: 'b gave no answer in 20 rows in a row.' }]],
    [39, [expect.anything()]],
    [40, [expect.anything(), expect.anything()]],
  ])('pause an experiment whose model has not answered in %d rows: %j', async (rows, paused) => {
    expect((await endsOf(rows)).paused).toEqual(paused);
  });

  it.each(['paused', 'finished', 'lost'])('pause nothing that is %s by then', async (state) => {
    expect((await endsOf(20, state)).paused).toEqual([]);
  });

  it('keep the summary after the last row only, whether it has succeeded or failed', async () => {
    for (const [state, expected] of [
      ['running', []],
      ['paused', []],
      ['lost', []],
      ['finished', ['exp of user']],
    ] as const) {
      const { ends, row, kept } = await endsOf(1, state);
      ends.keepSummaryAfter(row);
      expect([state, kept]).toEqual([state, expected]);
    }
    const { ends, row, kept } = await endsOf(0, 'finished');
    await ends.fail(row, FAILED);
    ends.keepSummaryAfter(row);
    expect(kept).toEqual(['exp of user']);
  });

  it('say so where the lease of the row is lost', async () => {
    const { ends, row, held } = await endsOf(1, 'lost');
    expect(held).toEqual([false]);
    await expect(ends.fail(row, FAILED)).rejects.toThrow(LockLostError);
  });
});
