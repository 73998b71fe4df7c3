import { randomBytes } from 'node:crypto';
import { broken, ok, type Judgment } from './finding';
import type { Session } from './session';

/** The program between this process and Postgres. */
export type Pooler = 'none' | 'session' | 'transaction';

const ROUNDS = 3;

/**
 * Finds out by trying. A pooler invents the process number that it sends to a new connection. In transaction mode,
 * several connections that are open
 * at the same time are served by one process of Postgres, or one connection by several, which never happens otherwise.
 */
export async function findPooler(session: Session, open: () => Promise<Session>): Promise<Pooler> {
  if (session.announcedPid === (await pidOf(session))) return 'none';
  const others: Session[] = [];
  try {
    others.push(await open(), await open());
    return (await areShared([session, ...others])) ? 'transaction' : 'session';
  } catch {
    // In session mode, a pooler with few connections lets the second one wait.
    return 'session';
  } finally {
    for (const other of others) other.close();
  }
}

async function pidOf(session: Session): Promise<number> {
  return (await session.queryOne<{ pid: number }>('select pg_backend_pid() as pid')).pid;
}

async function areShared(sessions: readonly Session[]): Promise<boolean> {
  const seen = new Map<number, Session>();
  for (const session of Array.from({ length: ROUNDS }, () => sessions).flat()) {
    const pid = await pidOf(session);
    // Another one's process, or another process than its own before.
    if (seen.has(pid) ? seen.get(pid) !== session : [...seen.values()].includes(session)) return true;
    seen.set(pid, session);
  }
  return false;
}

/** Diagnoses the pooler with this value of DATABASE_PREPARE. */
export async function diagnosePooler(session: Session, pooler: Pooler, isPreparing: boolean): Promise<Judgment> {
  if (pooler === 'none') return ok('There is none between this machine and Postgres.');
  if (pooler === 'session')
    return ok(
      'There is one in session mode. It saves no connections; transaction mode with DATABASE_PREPARE=off does.',
    );
  if (!isPreparing) return ok('There is one in transaction mode, which DATABASE_PREPARE=off suits.');
  return (await namesReachPostgres(session))
    ? broken(
        'There is one in transaction mode that does not keep prepared statements (as PgBouncer before 1.21), so statements will be refused while their vendors are paid. Set DATABASE_PREPARE=off, or let the pooler keep them (max_prepared_statements).',
      )
    : ok('There is one in transaction mode that keeps prepared statements.');
}

/**
 * True if a prepared statement reaches Postgres under its own name, which then stays with the process; a pooler that
 * keeps prepared statements renames them. Leaves nothing behind.
 */
async function namesReachPostgres(session: Session): Promise<boolean> {
  const name = `mcs_doctor_${randomBytes(8).toString('hex')}`;
  return session.reading(async (client) => {
    await client.query({ name, text: 'select $1::integer', values: [1] });
    const { rowCount } = await client.query('select from pg_prepared_statements where name = $1', [name]);
    if (rowCount !== 0) await client.query(`deallocate ${client.escapeIdentifier(name)}`);
    return rowCount !== 0;
  });
}
