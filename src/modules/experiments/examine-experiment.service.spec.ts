import type { Caller } from '../auth/caller';
import { Clock } from '../../common/clock';
import type { Turn } from '../../common/turn';
import { Config } from '../../platform/config/config';
import type { DatasetsService } from '../datasets/datasets.service';
import type { AdmissionService } from '../execution/admission.service';
import type { ModelsService } from '../models/models.service';
import { ExamineExperimentService } from './examine-experiment.service';
import type { ExperimentCommand } from './experiment.types';

/** Examines an experiment on a data set of 10 rows, of which only the first 3 have a city. */
async function examined({
  limit = null,
  samples = 1,
  prompt = '{input}',
  history,
  columns = ['input', 'city'],
  maxCalls = '60',
}: {
  limit?: number | null;
  samples?: number;
  prompt?: string;
  history?: Turn[];
  columns?: string[];
  maxCalls?: string;
}) {
  const asked: unknown[] = [];
  const datasets = {
    find: async () => ({ rowCount: 10, columns }),
    firstWithout: async (_id: string, name: string, rows: number) =>
      asked.push([name, rows]) > 0 && name === 'city' && rows > 3 ? { rowId: 'r4', line: 5 } : undefined,
  } as unknown as DatasetsService;
  const admission = { admit: async () => void asked.push('admitted') } as unknown as AdmissionService;
  const config = Config.read({
    DATABASE_URL: 'postgresql://here/db',
    ADMIN_API_KEY: 'x'.repeat(16),
    API_KEY_PEPPER: 'y'.repeat(16),
    EXPERIMENT_MAX_CALLS: maxCalls,
  });
  const service = new ExamineExperimentService(
    datasets,
    admission,
    { require: (ids: string[]) => ids } as unknown as ModelsService,
    config,
    new Clock(),
  );
  const end = await service
    .examine(
      {} as Caller,
      {
        datasetId: 'ds',
        command: { prompt, models: ['a', 'b'], samples, options: { extra: { history } } },
        spec: { limit },
      } as unknown as ExperimentCommand,
    )
    .catch((error: unknown) => error);
  return { end, asked };
}

describe('The examination of an experiment', () => {
  test.each([
    [10, { samples: 3 }],
    [10, { limit: 11, samples: 3 }],
    [7, { limit: 7, samples: 4 }],
    [3, { limit: 3, samples: 10, prompt: '{city}' }],
  ])('lets %d rows pass with %j', async (rows, given) => {
    expect((await examined(given)).end).toEqual({ rows, models: ['a', 'b'], judges: [] });
  });

  test.each([
    [80, { samples: 4 }],
    [64, { limit: 8, samples: 4 }],
  ])('refuses %d calls, one row too many, before it looks at anything else', async (calls, given) => {
    const { end, asked } = await examined(given);
    expect(end).toMatchObject({
      code: 'invalid_request',
      param: 'limit',
      message: expect.stringContaining(`limit leads to ${calls} model calls`),
    });
    expect(asked).toEqual([]);
  });

  test('refuses a name that one of its rows lacks, and says which', async () => {
    expect((await examined({ limit: 4, prompt: '{city}: {input}' })).end).toMatchObject({
      code: 'invalid_request',
      param: 'prompt',
      message: 'prompt contains {city}, which row r4 (line 5) does not have.',
    });
  });

  test('refuses a name in a turn that one of its rows lacks, and says which', async () => {
    const history: Turn[] = [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: '{city}' },
    ];
    expect((await examined({ limit: 4, history })).end).toMatchObject({
      code: 'invalid_request',
      param: 'options.history[1].content',
      message: 'options.history[1].content contains {city}, which row r4 (line 5) does not have.',
    });
    expect((await examined({ limit: 3, history })).end).toMatchObject({ rows: 3 });
  });

  test('asks of no row for a word in braces that is no column, nor for a member that no prompt can have', async () => {
    const { end, asked } = await examined({
      prompt: '{input} {other} {expected} {id} {group} {checks}',
      columns: ['id', 'input', 'expected', 'group', 'checks'],
    });
    expect([end, asked]).toEqual([{ rows: 10, models: ['a', 'b'], judges: [] }, ['admitted', ['input', 10]]]);
  });
});
