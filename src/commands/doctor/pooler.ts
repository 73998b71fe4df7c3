import { randomBytes } from 'node:crypto';
import { broken, ok, warning, type Finding } from './finding';
import type { Session } from './session';

/** The program between this process and Postgres. */
export type Pooler = 'none' | 'session' | 'transaction';

const CONNECTIONS = 3;
const ROUNDS = 3;

/**
 * Finds out by trying. A pooler invents the process number that it sends to a new connection. In transaction mode, several connections that are open
 * at the same time are served by one process of Postgres, or one connection by several, which never happens otherwise.
 */
export async function findPooler(session: Session, open: () => Promise<Session>): Promise<Pooler> {
  const pid = await pidOf(session);
  if (session.pidAtStart === pid) return 'none';
  const others: Session[] = [];
  try {
    while (others.length < CONNECTIONS - 1) others.push(await open());
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
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const session of sessions) {
      const pid = await pidOf(session);
      const known = [...seen.values()].includes(session);
      // Another one's process, or another process than its own before.
      if (seen.has(pid) ? seen.get(pid) !== session : known) return true;
      seen.set(pid, session);
    }
  }
  return false;
}

/**
 * True if a statement that is prepared here reaches Postgres under the same name. A pooler that keeps prepared statements gives them other
 * names; a pooler without that support hands the connection, and with it the name, to the next process. Nothing is left behind.
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

/** The finding about the pooler with this value of DATABASE_PREPARE. */
export async function poolerFinding(session: Session, pooler: Pooler, isPreparing: boolean): Promise<Finding> {
  if (pooler === 'none') return ok('pooler', 'There is none between this machine and Postgres.');
  if (pooler === 'session') return ok('pooler', 'There is one in session mode. It saves no connections; transaction mode with DATABASE_PREPARE=off does.');
  if (!isPreparing) return ok('pooler', 'There is one in transaction mode, which DATABASE_PREPARE=off suits.');
  return (await namesReachPostgres(session))
    ? broken('pooler', 'There is one in transaction mode that does not keep prepared statements (as PgBouncer before 1.21), so statements will be refused while their vendors are paid. Set DATABASE_PREPARE=off, or let the pooler keep them (max_prepared_statements).')
    : ok('pooler', 'There is one in transaction mode that keeps prepared statements.');
}

/** Checks that the service's timeouts hold on the server. */
export async function timeoutsFinding(session: Session, askedMs: number): Promise<Finding> {
  const names = ['statement_timeout', 'idle_in_transaction_session_timeout'];
  const rows = await session.query<{ name: string; ms: number; role: string }>(
    'select name, setting::integer as ms, quote_ident(current_user) as role from pg_settings where name = any($1) order by name desc', [names]);
  const loose = rows.filter(({ ms }) => ms === 0 || ms > askedMs);
  if (loose.length === 0) return ok('timeouts', rows.map(({ name, ms }) => `${name} is ${ms} ms`).join(', ').concat(' on the server.'));
  const remedies = loose.map(({ name, role }) => `alter role ${role} set ${name} = ${askedMs};`);
  return warning('timeouts', `On the server, ${loose.map(({ name, ms }) => `${name} is ${ms === 0 ? 'off' : `${ms} ms`}`).join(' and ')} instead of ${askedMs} ms: a pooler does not pass it on. What this service has given up would run on and keep its locks. Set it for the role: ${remedies.join(' ')}`);
}
