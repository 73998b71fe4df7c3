import { count } from '../../bootstrap/terminal';
import {
  aheadOfDatabaseMs,
  MAX_CLOCK_DIFFERENCE_MS,
  describeClockDifference,
} from '../../platform/database/clock-difference';
import { broken, ok, warning, type Judgment } from './finding';
import type { Pooler } from './pooler';
import type { Session } from './session';

const MIN_POSTGRES = 14;
const BROKEN_CLOCK_DIFFERENCE_MS = 60_000;

/** Diagnoses the version of Postgres, and that it accepts writes. */
export async function diagnosePostgres(session: Session): Promise<Judgment> {
  const { version, major, isStandby, isReadOnly } = await session.queryOne<{
    version: string;
    major: number;
    isStandby: boolean;
    isReadOnly: boolean;
  }>(`
    select current_setting('server_version') as version, current_setting('server_version_num')::integer / 10000 as major, pg_is_in_recovery() as "isStandby",
      current_setting('default_transaction_read_only')::boolean as "isReadOnly"`);
  if (isStandby)
    return broken(`Postgres ${version} is a standby, which only reads: DATABASE_URL has to lead to the primary.`);
  if (isReadOnly)
    return broken(
      `Postgres ${version} only reads, because default_transaction_read_only is on for this server, database or role.`,
    );
  return major < MIN_POSTGRES
    ? broken(`Postgres ${version} is too old; ${MIN_POSTGRES} is the first that will do.`)
    : ok(`Postgres ${version} answers.`);
}

/** Diagnoses that the service's timeouts hold on the server. */
export async function diagnoseTimeouts(session: Session, askedMs: number): Promise<Judgment> {
  const rows = await session.query<{ name: string; ms: number; role: string }>(`
    select name, setting::integer as ms, quote_ident(current_user) as role from pg_settings where name in ('statement_timeout', 'idle_in_transaction_session_timeout') order by name desc`);
  const loose = rows.filter(({ ms }) => ms === 0 || ms > askedMs);
  if (loose.length === 0) return ok(`${rows.map(({ name, ms }) => `${name} is ${ms} ms`).join(', ')} on the server.`);
  const remedies = loose.map(({ name, role }) => `alter role ${role} set ${name} = ${askedMs};`);
  return warning(
    `On the server, ${loose.map(({ name, ms }) => `${name} is ${ms === 0 ? 'off' : `${ms} ms`}`).join(' and ')} instead of ${askedMs} ms: a pooler does not pass it on. What this service has given up would run on and keep its locks. Set it for the role: ${remedies.join(' ')}`,
  );
}

/** Diagnoses that a crash of the server cannot lose acknowledged data. */
export async function diagnoseDurability(session: Session): Promise<Judgment> {
  const { fsync, pages, commit } = await session.queryOne<Record<'fsync' | 'pages' | 'commit', string>>(
    "select current_setting('fsync') as fsync, current_setting('full_page_writes') as pages, current_setting('synchronous_commit') as commit",
  );
  if (fsync !== 'on') return broken('fsync is off: a crash of the machine can destroy the whole database.');
  if (pages !== 'on')
    return warning('full_page_writes is off: a crash can destroy pages, unless the file system writes them whole.');
  if (commit === 'off')
    return warning(
      'synchronous_commit is off: a crash loses evals and charges that were acknowledged a moment before.',
    );
  return ok(`fsync and full_page_writes are on, synchronous_commit is ${commit}.`);
}

/** Diagnoses that all replicas, which are machines connected under this name, can open their pools. */
export async function diagnoseConnections(
  session: Session,
  applicationName: string,
  perReplica: number,
  pooler: Pooler,
): Promise<Judgment> {
  if (pooler === 'transaction')
    return ok(`${count(perReplica, 'connection')} of a replica go to the pooler, whose own limits count.`);
  const row = await session.queryOne<{ replicas: number; available: number; others: number }>(
    `
    with activity as (select * from pg_stat_activity where backend_type = 'client backend')
    select (select greatest(1, count(distinct coalesce(host(client_addr), '')))::integer from activity where application_name = $1 and datname = current_database()) as replicas,
      (select count(*)::integer from activity where application_name not in ($1, $1 || ' doctor')) as others,
      least(current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer - coalesce(current_setting('reserved_connections', true)::integer, 0),
        (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user), (select nullif(datconnlimit, -1) from pg_database where datname = current_database())) as available`,
    [applicationName],
  );
  return judgeConnections({ ...row, perReplica });
}

/** The verdict on the connections that a replica may open and the server has. */
export function judgeConnections({
  perReplica,
  replicas,
  available,
  others,
}: Record<'perReplica' | 'replicas' | 'available' | 'others', number>): Judgment {
  const sum = `DATABASE_POOL_MAX × WEB_CONCURRENCY is ${perReplica}, for ${count(replicas, 'replica')} ${perReplica * replicas}; the server has ${available}, of which others use ${others}`;
  if (perReplica > available) return broken(`${sum}. Lower DATABASE_POOL_MAX, or raise max_connections.`);
  if (perReplica * replicas + others > available)
    return warning(
      `${sum}: under load, some will be refused. Lower DATABASE_POOL_MAX, raise max_connections, or use a pooler.`,
    );
  return ok(`${sum}, enough for ${Math.floor((available - others) / perReplica)} such replicas.`);
}

/** Diagnoses the difference of this machine's clock from the database's. */
export async function diagnoseClock(session: Session, clock: { now(): Date }): Promise<Judgment> {
  return judgeClock(await aheadOfDatabaseMs((text) => session.queryOne(text), clock));
}

/** The verdict on the milliseconds by which this machine is ahead of the database. */
export function judgeClock(aheadMs: number): Judgment {
  const away = Math.abs(aheadMs);
  if (away <= MAX_CLOCK_DIFFERENCE_MS)
    return ok(`This machine and the database agree to ${(away / 1000).toFixed(1)} s.`);
  const costs = `${describeClockDifference(aheadMs)}: evals get wrong times and charges the wrong month, and keys end too early or too late. Let both follow a time server.`;
  return away < BROKEN_CLOCK_DIFFERENCE_MS ? warning(costs) : broken(costs);
}
