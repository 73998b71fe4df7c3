import { parseConnectionString } from '../../../src/platform/config/connection-string';
import { PgPool } from '../../../src/platform/database/pg-pool';
import { briefly, urgently } from '../../../src/platform/database/urgency';
import { worker } from '../../support/worker';

const DEADLINE_MS = 2000;
const SLEEP = `select pg_sleep(${(2.5 * DEADLINE_MS) / 1000})`;

describe('A pool whose only connection was given up in the middle of a statement', () => {
  it('makes no other while the server works on that statement, and serves who waits as soon as it has done it', async () => {
    const pool = new PgPool({
      ...parseConnectionString(worker().databaseUrl),
      max: 1,
      query_timeout: DEADLINE_MS,
      connectionTimeoutMillis: 20 * DEADLINE_MS,
    });
    await expect(pool.query(SLEEP)).rejects.toThrow('Query read timeout');
    const { rows } = await pool.query(
      "select count(*)::int as working from pg_stat_activity where state = 'active' and query = $1",
      [SLEEP],
    );
    expect(rows).toEqual([{ working: 0 }]);
    await pool.end();
  });
});

describe('A pool whose connections for requests are all used', () => {
  const poolOf = (max: number) =>
    new PgPool({ ...parseConnectionString(worker().databaseUrl), max, reserved: 2, connectionTimeoutMillis: 600_000 });

  it('refuses a read soon, lets other work wait, and has a connection for what is urgent', async () => {
    const pool = poolOf(4);
    const held = [await pool.connect(), await pool.connect()];
    const waiting = pool.connect();
    await expect(briefly(() => pool.query('select 1'))).rejects.toThrow('No connection of the pool was free in time.');
    expect((await urgently(() => briefly(() => pool.query('select 1 as one')))).rows).toEqual([{ one: 1 }]);
    expect(pool.waiting).toBe(1);
    held[0]?.release();
    (await waiting).release();
    held[1]?.release();
    expect((await briefly(() => pool.query('select 1 as one'))).rows).toEqual([{ one: 1 }]);
    await pool.end();
  });

  it('serves what is urgent first, also where it has one connection', async () => {
    const pool = poolOf(1);
    const order: string[] = [];
    const only = await pool.connect();
    const ask = async (name: string) => {
      await pool.query('select 1');
      order.push(name);
    };
    const asked = [ask('first'), ask('second'), urgently(() => ask('urgent'))];
    only.release();
    await Promise.all(asked);
    expect(order).toEqual(['urgent', 'first', 'second']);
    await pool.end();
  });
});
