import { Money } from '../../../common/money';
import type { DatasetsService } from '../../datasets/datasets.service';
import type { ModelsService } from '../../models/models.service';
import { storedCommand } from '../../runs/job-command';
import type { SchedulingExperiment } from '../experiment.types';
import { PricedRowsService } from './priced-rows.service';
import type { RowsRepository } from './rows.repository';

const COMMAND = storedCommand({
  prompt: '{input}',
  input: undefined,
  models: ['cheap', 'dear'],
  samples: 3,
  options: { temperature: 0, isTemperatureGiven: true, isMaxTokensGiven: true, maxTokens: 1_000_000 },
  checks: [],
});
const modelOf = (id: string) => ({
  model: { id, vendor: 'simulator', accepts: { temperature: null }, maxOutputTokens: null },
  price: { input: Money.zero, output: Money.of(id === 'dear' ? '10' : '1') },
});

/**
 * The next rows of an experiment of 10 rows, of which 8 were scheduled, and rows 2 and 5 wait for the one model that
 * failed.
 */
async function next(count: number, hasWaiting = true) {
  const waiting = [2, 5].map((rowNo) => ({ rowNo, attempt: 2, models: ['dear'] }));
  const datasets = {
    readRows: async (_id: string, from: number, limit: number) =>
      Array.from({ length: limit }, (_, index) => ({
        no: from + index,
        input: 'text',
        variables: null,
        expected: null,
        checks: null,
      })),
  };
  const priced = new PricedRowsService(
    { waiting: async (_id: string, limit: number) => waiting.slice(0, limit) } as unknown as RowsRepository,
    datasets as unknown as DatasetsService,
    {} as never,
    { require: (ids: string[]) => ids.map(modelOf) } as unknown as ModelsService,
  );
  const rows = await priced.next(
    {
      id: 'exp',
      datasetId: 'ds',
      spec: { command: COMMAND },
      nextNo: 8,
      rowCount: 10,
      hasWaiting,
    } as unknown as SchedulingExperiment,
    count,
    new Date(),
  );
  return rows.map(({ texts, maxCost }) => [texts.no, maxCost.toString()]);
}

describe('The next rows of an experiment', () => {
  it('cost at most what all samples of the models that are asked can cost: of a further attempt, of these alone', async () => {
    expect(await next(3)).toEqual([
      [2, '30'],
      [5, '30'],
      [8, '33'],
    ]);
  });

  it('are the waiting ones first, as many as are free, and none after the last', async () => {
    expect([
      (await next(1)).map(([no]) => no),
      (await next(10)).map(([no]) => no),
      (await next(10, false)).map(([no]) => no),
    ]).toEqual([[2], [2, 5, 8, 9], [8, 9]]);
  });
});
