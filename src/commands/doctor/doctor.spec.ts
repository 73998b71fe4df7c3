import { judgeClock, judgeConnections } from './database';
import { judgeRedis } from './redis';
import { judgePrivileges, judgeSchema } from './schema';
import { certificateVerdict, judgeEncryption } from './tls';
import { aCertificateAuthority } from '../../../test/support/certificates';
import { parseConnectionString } from '../../platform/config/connection-string';

describe('The doctor', () => {
  it.each([
    [{ perReplica: 20, replicas: 1, others: 0, available: 97 }, 'ok'],
    [{ perReplica: 20, replicas: 4, others: 17, available: 97 }, 'ok'],
    [{ perReplica: 20, replicas: 4, others: 18, available: 97 }, 'warning'],
    [{ perReplica: 97, replicas: 1, others: 0, available: 97 }, 'ok'],
    [{ perReplica: 98, replicas: 1, others: 0, available: 97 }, 'broken'],
  ])('judges connections: %j is %s', (connections, status) => {
    expect(judgeConnections(connections).status).toBe(status);
  });

  it.each([
    [0, 'ok'],
    [2000, 'ok'],
    [-2001, 'warning'],
    [59_999, 'warning'],
    [60_000, 'broken'],
    [-600_000, 'broken'],
  ])('judges a clock that is %i ms ahead: %s', (ms, status) => {
    expect(judgeClock(ms).status).toBe(status);
  });

  it.each([
    [31, undefined],
    [30, undefined],
    [29, 'warning'],
    [3, 'warning'],
    [0, 'warning'],
    [-1, 'broken'],
  ])('judges a certificate that ends %i days from now: %s', (days, status) => {
    // Certificates know whole seconds.
    const ends = new Date('2026-12-24T00:00:00Z');
    const connection = {
      ...parseConnectionString('postgresql://db/mcs'),
      ssl: { ca: aCertificateAuthority('The CA', ends).certificate },
    };
    expect(certificateVerdict(connection, new Date(ends.getTime() - days * 86_400_000))?.status).toBe(status);
  });

  it('judges a schema by its migrations and by what they make', () => {
    const needed = { migrations: ['one', 'two'], tables: new Map([['evals', ['id', 'note']]]) };
    const judge = (applied: string[], ...there: string[]) => judgeSchema(needed, applied, new Set(there));
    expect(judge(['one', 'two'], 'evals.id', 'evals.note')).toMatchObject({
      status: 'ok',
      message: 'All 2 migrations of this version are applied.',
    });
    expect(judge(['one', 'two', 'three'], 'evals.id', 'evals.note', 'evals.more')).toMatchObject({
      status: 'ok',
      message: expect.stringContaining('1 of a newer one'),
    });
    expect(judge([])).toMatchObject({ status: 'broken', message: expect.stringMatching(/^No migration is applied/) });
    expect(judge(['one'], 'evals.id')).toMatchObject({
      status: 'broken',
      message: expect.stringMatching(/^two is pending: run/),
    });
    expect(judge(['one'], 'evals.id', 'evals.note')).toMatchObject({
      status: 'broken',
      message: expect.stringMatching(/^Half migrated: everything is there/),
    });
    expect(judge(['one', 'two'], 'evals.id')).toMatchObject({
      status: 'broken',
      message: expect.stringContaining('but these are missing: evals.note.'),
    });
  });

  it('judges the rights of a role', () => {
    const all = {
      role: 'mcs',
      isSuperuser: false,
      schema: 'public',
      mayCreate: true,
      notOwned: [],
      notReadable: [],
      notWritable: [],
    };
    expect(judgePrivileges(all, true).status).toBe('ok');
    expect(judgePrivileges({ ...all, isSuperuser: true }, false).status).toBe('warning');
    expect(judgePrivileges({ ...all, schema: null }, false).status).toBe('broken');
    expect(judgePrivileges({ ...all, notOwned: ['evals'] }, false)).toMatchObject({
      status: 'ok',
      message: expect.stringContaining('does not own evals'),
    });
    expect(judgePrivileges({ ...all, notOwned: ['evals'] }, true).status).toBe('broken');
    expect(judgePrivileges({ ...all, notWritable: ['a', 'b', 'c', 'd', 'e', 'f'] }, false)).toMatchObject({
      status: 'broken',
      message: expect.stringContaining('a, b, c, d, e and 1 more'),
    });
  });

  it('judges the encryption behind a pooler', () => {
    expect(judgeEncryption({ isEncrypted: true, version: 'TLSv1.3', peer: '10.0.0.1' }, 'none')).toMatchObject({
      status: 'ok',
      message: 'TLSv1.3.',
    });
    expect(judgeEncryption({ isEncrypted: false, version: null, peer: '10.0.0.1' }, 'transaction').status).toBe(
      'warning',
    );
    expect(judgeEncryption({ isEncrypted: false, version: null, peer: '127.0.0.1' }, 'session').status).toBe('ok');
    expect(judgeEncryption({ isEncrypted: true, version: 'TLSv1.3', peer: '10.0.0.1' }, 'session').status).toBe('ok');
  });

  it('judges a Redis by its role and by what it does when its memory is full', () => {
    const judge = (info: Record<string, string>) =>
      judgeRedis(
        new Map(
          Object.entries({
            redis_version: '7.0.15',
            role: 'master',
            loading: '0',
            maxmemory: '0',
            maxmemory_policy: 'allkeys-lru',
            ...info,
          }),
        ),
      );
    expect(judge({})).toMatchObject({ status: 'ok', message: expect.stringMatching(/^Redis 7\.0\.15/) });
    expect(judge({ valkey_version: '8.0.1' }).message).toMatch(/^Valkey 8\.0\.1/);
    expect(judge({ role: 'slave' }).status).toBe('broken');
    expect(judge({ loading: '1' }).status).toBe('broken');
    expect(judge({ maxmemory: '1000' }).status).toBe('warning');
    expect(judge({ maxmemory: '1000', maxmemory_policy: 'noeviction' }).status).toBe('ok');
  });
});
