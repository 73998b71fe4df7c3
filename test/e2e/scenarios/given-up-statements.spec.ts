import { parseConnectionString } from '../../../src/common/connection-string';
import { PgPool } from '../../../src/database/pg-pool';
import { worker } from '../../support/worker';

const DEADLINE_MS = 2000;
const SLEEP = `select pg_sleep(${2.5 * DEADLINE_MS / 1000})`;

describe('A pool whose only connection was given up in the middle of a statement', () => {
  it('makes no other while the server works on that statement, and serves who waits as soon as it has done it', async () => {
    const pool = new PgPool({ ...parseConnectionString(worker().databaseUrl), max: 1, query_timeout: DEADLINE_MS, connectionTimeoutMillis: 20 * DEADLINE_MS });
    await expect(pool.query(SLEEP)).rejects.toThrow('Query read timeout');
    const { rows } = await pool.query("select count(*)::int as working from pg_stat_activity where state = 'active' and query = $1", [SLEEP]);
    expect(rows).toEqual([{ working: 0 }]);
    await pool.end();
  });
});
