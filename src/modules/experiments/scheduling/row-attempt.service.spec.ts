import { Logger } from '@nestjs/common';
import type { AuthService } from '../../auth/auth.service';
import { ApiError, type ErrorCode } from '../../../common/errors';
import { Money } from '../../../common/money';
import type { EvalsService } from '../../evals/evals.service';
import type { CompareService } from '../../execution/compare.service';
import type { CompareCommand } from '../../execution/compare.types';
import { LockLostError } from '../../execution/job-lock';
import { Metrics } from '../../../platform/observability/metrics';
import { storedCommand } from '../../runs/job-command';
import type { PauseReason } from '../experiment.entity';
import { NO_ROW_TEXTS } from '../row-command';
import { ClaimedRow } from './claimed-row';
import { RowAttemptService } from './row-attempt.service';
import type { RowEndsService } from './row-ends.service';

const COMMAND = storedCommand({
  prompt: '{input}',
  input: undefined,
  models: ['a', 'b'],
  samples: 1,
  options: { temperature: 0, isTemperatureGiven: true, isMaxTokensGiven: true, maxTokens: 7 },
  checks: [],
});
const PAYER = { scopes: ['experiments'] };

interface Around {
  thrown?: unknown;
  payer?: { scopes: string[] } | undefined;
  state?: string;
  retries?: number;
  isStopping?: boolean;
  stored?: object;
}

/** Runs one attempt of a row; returns the commands that were run, the ends of the row, and the counted outcome. */
async function attempt(around: Around) {
  const { thrown, payer, state = 'running', retries = 0, isStopping = false, stored } = { payer: PAYER, ...around };
  const [called, ended]: [CompareCommand[], unknown[][]] = [[], []];
  const compare = {
    compare: async (_caller: object, command: CompareCommand) => {
      called.push(command);
      if (thrown !== undefined) throw thrown as Error;
    },
  } as unknown as CompareService;
  const ends = {
    pause: async (_row: ClaimedRow, { reason, detail }: { reason: string; detail: string }) =>
      void ended.push(['paused', reason, detail]),
    requeue: async (_row: ClaimedRow, seconds: number, countsAsRetry: boolean) =>
      void ended.push(['waits', seconds, countsAsRetry]),
    fail: async (_row: ClaimedRow, { code }: ApiError) => void ended.push(['failed', code]),
  } as unknown as RowEndsService;
  const metrics = new Metrics();
  const attempts = new RowAttemptService(
    ends,
    compare,
    { find: async () => stored } as unknown as EvalsService,
    { findCaller: async () => payer } as unknown as AuthService,
    metrics,
  );
  const row = {
    experimentId: 'exp',
    rowNo: 4,
    attempt: 1,
    fence: 1,
    evalId: 'eval',
    createdAt: new Date(),
    maxCost: Money.of('0.25'),
    models: ['b'],
    retries,
  };
  const texts = { ...NO_ROW_TEXTS, rowId: 'r', input: 'text' };
  const held = new ClaimedRow(
    row,
    texts,
    { userId: 'user', keyId: 'key', state, spec: { command: COMMAND }, parallel: 1 } as unknown as ClaimedRow['owner'],
    async () => ended.push(['stored']) > 0,
  );
  await attempts.run(held, () => isStopping);
  return {
    called,
    ended,
    outcomes: (await metrics.experimentRows.get()).values
      .filter(({ value }) => value > 0)
      .map(({ labels }) => labels['outcome']),
  };
}

describe('An attempt of a row', () => {
  beforeAll(() => Logger.overrideLogger(false));

  it('asks the models of the attempt, for no more than was scheduled for it', async () => {
    const { called, ended, outcomes } = await attempt({});
    expect([
      called.map(({ models, maxCost, experimentId }) => [models, maxCost?.toString(), experimentId]),
      ended,
      outcomes,
    ]).toEqual([[[['b'], '0.25', 'exp']], [], ['done']]);
  });

  it.each<[ErrorCode, PauseReason]>([
    ['unauthorized', 'key_revoked'],
    ['insufficient_scope', 'key_revoked'],
    ['payment_required', 'payment_required'],
    ['spend_limit_reached', 'spend_limit_reached'],
    ['key_spend_limit_reached', 'spend_limit_reached'],
    ['unknown_model', 'model_gone'],
    ['model_not_allowed', 'model_not_allowed'],
  ])('that ends with %s pauses its experiment with %s', async (code, reason) => {
    const { ended, outcomes } = await attempt({ thrown: new ApiError(code, { message: 'Why.' }) });
    expect([ended, outcomes]).toEqual([[['paused', reason, 'Why.']], ['waiting']]);
  });

  it.each([
    ['was revoked', undefined],
    ['lost its scope', { scopes: ['compare', 'experiments:read'] }],
  ])('calls nothing and pauses where the key that pays %s', async (words, payer) => {
    const { called, ended } = await attempt({ payer });
    expect([called, ended]).toEqual([
      [],
      [
        [
          'paused',
          'key_revoked',
          expect.stringContaining(words === 'was revoked' ? words : 'lost the scope `experiments`'),
        ],
      ],
    ]);
  });

  const unavailable = new ApiError('unavailable');
  it.each<[string, Around, unknown[]]>([
    ['waits a second where the service could not run it', { thrown: unavailable }, ['waits', 1, true]],
    ['waits twice as long each time', { thrown: new ApiError('overloaded'), retries: 3 }, ['waits', 8, true]],
    ['waits a minute at most', { thrown: unavailable, retries: 9 }, ['waits', 60, true]],
    ['fails after ten such ends', { thrown: unavailable, retries: 10 }, ['failed', 'unavailable']],
    [
      'waits without counting where the process stops',
      { thrown: unavailable, retries: 10, isStopping: true },
      ['waits', 0, false],
    ],
    [
      'is scheduled again where its price has risen since',
      { thrown: new ApiError('max_cost_exceeded'), retries: 10 },
      ['waits', 0, false],
    ],
    ['fails where no model answers', { thrown: new ApiError('all_models_failed') }, ['failed', 'all_models_failed']],
    [
      'fails by a mistake of ours, also where the process stops',
      { thrown: new Error('broken'), isStopping: true },
      ['failed', 'internal_error'],
    ],
  ])('%s', async (_, around, end) => {
    expect((await attempt(around)).ended).toEqual([end]);
  });

  it.each<[string, Around, unknown[][], string]>([
    ['is not begun an eleventh time', { retries: 11 }, [['failed', 'internal_error']], 'failed'],
    ['of an experiment that is paused calls nothing', { state: 'paused' }, [['waits', 0, false]], 'waiting'],
    [
      'of an experiment that was ended counts the eval that a dead process has stored',
      { state: 'erasing', stored: {} },
      [['stored']],
      'done',
    ],
  ])('%s', async (_, around, ended, outcome) => {
    expect(await attempt(around)).toEqual({ called: [], ended, outcomes: [outcome] });
  });

  it('leaves a row alone that another process holds by now', async () => {
    const { ended, outcomes } = await attempt({ thrown: new LockLostError({ runId: 'eval', fence: 1 }) });
    expect([ended, outcomes]).toEqual([[], ['lost']]);
  });
});
