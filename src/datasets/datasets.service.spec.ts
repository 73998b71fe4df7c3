import { Readable } from 'node:stream';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { AuditService } from '../audit/audit.service';
import type { Caller } from '../auth/caller';
import type { ChecksService } from '../checks/checks.service';
import { Clock } from '../common/clock';
import type { DatasetsRepository } from './datasets.repository';
import { DatasetsService } from './datasets.service';

const ID = `ds_${'0'.repeat(26)}`;
const ACTOR = { name: 'key', requestId: 'req', address: 'here' };
const caller = (userId: string) => ({ userId }) as Caller;
const NAMES = { input: 'input', expected: 'expected', group: 'group', id: 'id' };

const json = (body: string) => ({ format: 'json', chunks: Readable.from([Buffer.from(body)]) }) as const;

function serviceWith(repository: Partial<DatasetsRepository>) {
  const audit = { change: async (_actor: unknown, work: (tx: EntityManager) => Promise<{ value: unknown }>) => (await work({} as EntityManager)).value } as unknown as AuditService;
  return new DatasetsService(repository as DatasetsRepository, {} as ChecksService, audit, new Clock());
}

describe('DatasetsService', () => {
  it('deletes no data set that is used, and looks after it was locked', async () => {
    const steps: string[] = [];
    const service = serviceWith({ lock: async () => steps.push('lock') > 0, delete: async () => void steps.push('delete') });
    await service.delete(ACTOR, caller('user'), ID);
    let isUsed = true;
    service.isUsed = async (id) => steps.push(`find ${id}`) > 0 && isUsed;
    await expect(service.delete(ACTOR, caller('user'), ID)).rejects.toMatchObject({ code: 'conflict' });
    isUsed = false;
    await service.delete(ACTOR, caller('user'), ID);
    expect(steps).toEqual(['lock', 'delete', 'lock', `find ${ID}`, 'lock', `find ${ID}`, 'delete']);
  });

  it('reads one upload of a user at a time, and four of all users', async () => {
    const service = serviceWith({});
    const stalled = { format: 'ndjson', chunks: { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => undefined) }) } } as const;
    const upload = (userId: string) => service.create(ACTOR, caller(userId), { name: 'n', names: NAMES, maxRows: 1, content: stalled });
    for (const userId of ['a', 'b', 'c']) void upload(userId);
    await expect(upload('a')).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 1 });
    void upload('d');
    await expect(upload('e')).rejects.toMatchObject({ code: 'overloaded', retryAfterSeconds: 1 });
    // A failed upload makes room.
    const free = serviceWith({});
    for (let times = 0; times < 5; times += 1) await expect(free.create(ACTOR, caller('a'), { name: 'n', names: NAMES, maxRows: 1, content: json('{"rows":[]}') })).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it.each([[999, 0n, true], [1000, 0n, false], [0, 1_073_741_823n - 61n, true], [0, 1_073_741_823n, false]])('stores at most 1,000 data sets of 1 GiB for a user, here beside %d of %d bytes', async (datasets, bytes, isStored) => {
    const steps: string[] = [];
    const service = serviceWith({
      begin: async () => undefined, addRows: async () => undefined, lockTotals: async () => ({ datasets, bytes }), findContent: async () => undefined, complete: async () => void steps.push('complete'),
    });
    const creation = service.create(ACTOR, caller('a'), { name: 'n', names: NAMES, maxRows: 1, content: json('{"rows":[{"input":"a"}]}') });
    if (isStored) expect((await creation).isNew).toBe(true);
    else await expect(creation).rejects.toMatchObject({ code: 'conflict' });
    expect(steps).toEqual(isStored ? ['complete'] : []);
  });
});
