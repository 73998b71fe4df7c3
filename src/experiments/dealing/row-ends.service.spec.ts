import { Clock } from '../../common/clock';
import { ApiError } from '../../common/errors';
import type { Metrics } from '../../observability/metrics';
import { storedCommand } from '../../runs/job-command';
import type { HeldRow } from './held-row';
import { RowEndsService } from './row-ends.service';
import type { RowsRepository } from './rows.repository';

const COMMAND = storedCommand({ prompt: '{input}', input: undefined, models: ['a'], samples: 1, options: { temperature: 0, isTemperatureGiven: true, isMaxTokensGiven: true, maxTokens: 7 }, checks: [] });
const FAILED = new ApiError('all_models_failed', { details: { models: [{ model: 'a', error: { code: 'rate_limited', message: 'Too many.', retryable: true } }] } });

describe('The ends of rows', () => {
  it.each([['running', { exp: 4 }], ['paused', {}], ['finished', {}]])('leave the pace of an experiment that is %s after a failure as %j', async (state, limits) => {
    const ends = new RowEndsService({ fail: async () => state } as unknown as RowsRepository, new Clock(), {} as Metrics);
    await ends.fail({ row: { experimentId: 'exp', models: null }, owner: { spec: { command: COMMAND }, parallel: 8 } } as unknown as HeldRow, FAILED);
    expect(ends.limits).toEqual(limits);
  });
});
