import { firstIdAt } from '../../common/ids';
import { count } from '../../bootstrap/terminal';
import { broken, bytes, ok, warning, type Finding } from './finding';
import type { Pooler } from './pooler';
import type { Session } from './session';

const DAY_MS = 86_400_000;
/** Of fewer evals, empty pages and indexes say nothing about the next ones. */
const MIN_EVALS = 100;
const STATEMENT_TIMEOUT = '57014';

/** How many connections the service may open, and how many there are. */
export interface Connections {
  /** Of one replica. */
  perReplica: number;
  /** Machines connected under this application name; at least one. */
  replicas: number;
  /** The connection limit of ordinary roles, of this role or of this database. */
  available: number;
  /** Used by others now. */
  others: number;
}

/** Checks that all replicas together can have the connections that their pools may open. */
export async function connectionsFinding(session: Session, applicationName: string, perReplica: number, pooler: Pooler): Promise<Finding> {
  if (pooler === 'transaction') return ok('connections', `${count(perReplica, 'connection')} of a replica go to the pooler, whose own limits count.`);
  const row = await session.queryOne<{ replicas: number; available: number; others: number }>(`
    with activity as (select * from pg_stat_activity where backend_type = 'client backend')
    select (select count(distinct coalesce(host(client_addr), ''))::integer from activity where application_name = $1 and datname = current_database()) as replicas,
      (select count(*)::integer from activity where application_name not in ($1, $1 || ' doctor')) as others,
      least(current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer - coalesce(current_setting('reserved_connections', true)::integer, 0),
        (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user), (select nullif(datconnlimit, -1) from pg_database where datname = current_database())) as available`,
  [applicationName]);
  return judgeConnections({ ...row, perReplica, replicas: Math.max(row.replicas, 1) });
}

/** The diagnosis of these numbers. */
export function judgeConnections({ perReplica, replicas, available, others }: Connections): Finding {
  const needed = perReplica * replicas;
  const sum = `DATABASE_POOL_MAX × WEB_CONCURRENCY is ${perReplica}, for ${count(replicas, 'replica')} ${needed}; the server has ${available}, of which others use ${others}`;
  if (perReplica > available) return broken('connections', `${sum}. Lower DATABASE_POOL_MAX, or raise max_connections.`);
  if (needed + others > available) return warning('connections', `${sum}: under load, some will be refused. Lower DATABASE_POOL_MAX, raise max_connections, or use a pooler.`);
  return ok('connections', `${sum}, enough for ${Math.floor((available - others) / perReplica)} such replicas.`);
}

/** The disk space of the last day's evals. */
export async function growthFinding(session: Session, now: Date): Promise<Finding> {
  const { total, evals } = await session.queryOne<{ total: string | null; evals: string | null }>(`
    select sum(pg_total_relation_size(relid)) as total, max(greatest(n_live_tup, reltuples)) filter (where pg_stat_user_tables.relname = 'charges') as evals
    from pg_stat_user_tables join pg_class on pg_class.oid = relid where schemaname = current_schema()`);
  if (evals === null) return ok('growth', 'There are no tables yet.');
  const lastDay = await chargesSince(session, new Date(now.getTime() - DAY_MS));
  return judgeGrowth(Number(total), Number(evals), lastDay);
}

async function chargesSince(session: Session, from: Date): Promise<number | undefined> {
  try {
    // Ids begin with their time, so this reads a day of the index and no more.
    return (await session.queryOne<{ count: number }>('select count(*)::integer as count from charges where id >= $1', [firstIdAt('chg', from)])).count;
  } catch (error) {
    if ((error as { code?: unknown }).code === STATEMENT_TIMEOUT) return undefined;
    throw error;
  }
}

/** The diagnosis of these numbers: bytes of all tables, evals in them, and evals of the last day, if they could be counted in time. */
export function judgeGrowth(total: number, evals: number, lastDay: number | undefined): Finding {
  if (lastDay === undefined) return warning('growth', `The tables take ${bytes(total)}. The evals of the last day are too many to be counted in time.`);
  if (evals < MIN_EVALS) return ok('growth', `The tables take ${bytes(total)}, ${count(lastDay, 'eval')} in the last day. How many bytes an eval takes shows from ${MIN_EVALS} on.`);
  const each = total / evals;
  return ok('growth', `The tables take ${bytes(total)}, ${bytes(each)} an eval. With ${count(lastDay, 'eval')} in the last day they grow by ${bytes(each * lastDay)} a day, or ${bytes(each * lastDay * 365)} a year.`);
}
