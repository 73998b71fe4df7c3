import { Readable } from 'node:stream';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { AuditService } from '../audit/audit.service';
import type { Caller } from '../auth/caller';
import type { ChecksService } from '../checks/checks.service';
import { Clock } from '../../common/clock';
import type { Dataset } from './dataset.entity';
import type { DatasetsRepository } from './datasets.repository';
import { DatasetsService, type DatasetContent } from './datasets.service';

const ID = `ds_${'0'.repeat(26)}`;
const ACTOR = { name: 'key', requestId: 'req', address: 'here' };
const caller = (userId: string) => ({ userId }) as Caller;

const json = (body: string) => ({ format: 'json', chunks: Readable.from([Buffer.from(body)]) }) as const;

function serviceWith(repository: Partial<DatasetsRepository>) {
  const audit = {
    change: async (_actor: unknown, work: (tx: EntityManager) => Promise<{ value: unknown }>) =>
      (await work({} as EntityManager)).value,
  } as unknown as AuditService;
  return new DatasetsService(repository as DatasetsRepository, {} as ChecksService, audit, new Clock());
}

/** More than a small file has. */
const LARGE = `{"input":"${'x'.repeat(20_000)}"}\n`.repeat(60);

/** A file of which only the beginning arrives. */
function stalledAfter(text: string): DatasetContent {
  const beginning = [Buffer.from(text)];
  return {
    format: 'ndjson',
    chunks: {
      [Symbol.asyncIterator]: () => ({
        next: () => {
          const value = beginning.pop();
          return value === undefined ? new Promise<never>(() => undefined) : Promise.resolve({ value });
        },
      }),
    },
  };
}

function upload(service: DatasetsService, userId: string, content: DatasetContent) {
  return service.create(ACTOR, caller(userId), {
    name: 'n',
    columns: { names: {}, skip: [] },
    maxRows: 10_000,
    content,
  });
}

describe('DatasetsService', () => {
  it('deletes no data set that is used, and looks after it was locked', async () => {
    const steps: string[] = [];
    const service = serviceWith({
      lock: async () => steps.push('lock') > 0,
      delete: async () => void steps.push('delete'),
    });
    let isUsed = true;
    service.uses.register(async (id) => steps.push(`find ${id}`) > 0 && isUsed);
    await expect(service.delete(ACTOR, caller('user'), ID)).rejects.toMatchObject({ code: 'conflict' });
    isUsed = false;
    await service.delete(ACTOR, caller('user'), ID);
    expect(steps).toEqual(['lock', `find ${ID}`, 'lock', `find ${ID}`, 'delete']);
  });

  it('does not start before a module has registered its use of data sets', () => {
    const service = serviceWith({});
    expect(() => service.onApplicationBootstrap()).toThrow(
      'No module has registered its use of data sets, so one in use could be deleted.',
    );
    service.uses.register(() => Promise.resolve(false));
    expect(() => service.onApplicationBootstrap()).not.toThrow();
  });

  it('reads one upload of a user at a time', async () => {
    const service = serviceWith({});
    void upload(service, 'a', stalledAfter(''));
    void upload(service, 'b', stalledAfter(''));
    await expect(upload(service, 'a', json('{"rows":[{"input":"a"}]}'))).rejects.toMatchObject({
      code: 'rate_limited',
      retryAfterSeconds: 1,
    });
    // A failed upload makes room.
    for (let times = 0; times < 5; times += 1)
      await expect(upload(service, 'c', json('{"rows":[]}'))).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('stores small files while more than four others arrive, and four large ones at a time', async () => {
    const stored: number[] = [];
    const begun = new Set<string>();
    const allBegun = Promise.withResolvers<undefined>();
    const service = serviceWith({
      begin: async (_tx, { userId }) => {
        if (begun.add(userId).has('large 4')) allBegun.resolve(undefined);
      },
      addRows: async (_tx, _id, position, rows) => void stored.push(position + rows.length),
      lockTotals: async () => ({ datasets: 0, bytes: 0n }),
      findContent: async () => undefined,
      complete: async () => undefined,
    });
    for (let slow = 0; slow < 100; slow += 1) void upload(service, `slow ${slow}`, stalledAfter('{"input":"a"}\n'));
    for (const no of [1, 2, 3, 4]) void upload(service, `large ${no}`, stalledAfter(LARGE));
    await allBegun.promise;
    expect([...begun]).toEqual(['large 1', 'large 2', 'large 3', 'large 4']);
    await expect(upload(service, 'large 5', stalledAfter(LARGE))).rejects.toMatchObject({
      code: 'overloaded',
      retryAfterSeconds: 1,
    });
    stored.length = 0;
    expect(
      (
        await upload(service, 'small', {
          format: 'ndjson',
          chunks: Readable.from([Buffer.from('{"input":"a"}\n'.repeat(2500))]),
        })
      ).isNew,
    ).toBe(true);
    expect(stored).toEqual([1000, 2000, 2500]);
  });

  it('lets go of the slot of a large file that was stored', async () => {
    const service = serviceWith({
      begin: async () => undefined,
      addRows: async () => undefined,
      lockTotals: async () => ({ datasets: 0, bytes: 0n }),
      findContent: async () => undefined,
      complete: async () => undefined,
    });
    for (let times = 0; times < 5; times += 1)
      expect(
        (await upload(service, 'a', { format: 'ndjson', chunks: Readable.from([Buffer.from(LARGE)]) })).isNew,
      ).toBe(true);
  });

  it('keeps the one data set with a name and content, also for a user who can have no more', async () => {
    const [begun, deleted]: [string[], string[]] = [[], []];
    const existing = { id: ID } as Dataset;
    const service = serviceWith({
      begin: async (_tx, { id }) => void begun.push(id),
      addRows: async () => undefined,
      lockTotals: async () => ({ datasets: 1000, bytes: 0n }),
      findContent: async () => ID,
      delete: async (_tx, id) => void deleted.push(id),
      find: async () => existing,
    });
    expect(await upload(service, 'a', json('{"rows":[{"input":"a"}]}'))).toMatchObject({
      dataset: existing,
      isNew: false,
    });
    expect([begun.length, deleted]).toEqual([1, begun]);
  });

  it.each([
    [999, 0n, true],
    [1000, 0n, false],
    [0, 1_073_741_823n - 61n, true],
    [0, 1_073_741_823n, false],
  ])(
    'stores at most 1,000 data sets of 1 GiB for a user, here beside %d of %d bytes',
    async (datasets, bytes, isStored) => {
      const steps: string[] = [];
      const service = serviceWith({
        begin: async () => undefined,
        addRows: async () => undefined,
        lockTotals: async () => ({ datasets, bytes }),
        findContent: async () => undefined,
        complete: async () => void steps.push('complete'),
      });
      const creation = service.create(ACTOR, caller('a'), {
        name: 'n',
        columns: { names: {}, skip: [] },
        maxRows: 1,
        content: json('{"rows":[{"input":"a"}]}'),
      });
      if (isStored) expect((await creation).isNew).toBe(true);
      else await expect(creation).rejects.toMatchObject({ code: 'conflict' });
      expect(steps).toEqual(isStored ? ['complete'] : []);
    },
  );
});
