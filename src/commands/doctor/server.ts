import { X509Certificate } from 'node:crypto';
import { aheadOfDatabaseMs, MAX_CLOCK_DIFFERENCE_MS, sayDifference } from '../../database/clock-difference';
import { isThisMachine, type ConnectionSettings } from '../../config/connection-string';
import { broken, bytes, ok, warning, type Finding } from './finding';
import type { Pooler } from './pooler';
import type { Session } from './session';

const MIN_POSTGRES = 14;
const DAY_MS = 86_400_000;
/** Certificates that end sooner are worth a word. */
const EXPIRY_NOTICE_DAYS = 30;
const BROKEN_CLOCK_DIFFERENCE_MS = 60_000;
const MAX_LAG_SECONDS = 10;

/** Which Postgres it is, and whether it may be written to. */
export async function postgresFinding(session: Session): Promise<Finding> {
  const { version, major, isStandby, isReadOnly } = await session.queryOne<{ version: string; major: number; isStandby: boolean; isReadOnly: boolean }>(`
    select current_setting('server_version') as version, current_setting('server_version_num')::integer / 10000 as major, pg_is_in_recovery() as "isStandby",
      current_setting('default_transaction_read_only')::boolean as "isReadOnly"`);
  if (isStandby) return broken('database', `Postgres ${version} is a standby, which only reads: DATABASE_URL has to lead to the primary.`);
  if (isReadOnly) return broken('database', `Postgres ${version} only reads, because default_transaction_read_only is on for this server, database or role.`);
  return major < MIN_POSTGRES ? broken('database', `Postgres ${version} is too old; ${MIN_POSTGRES} is the first that will do.`) : ok('database', `Postgres ${version} answers.`);
}

interface Encryption {
  isEncrypted: boolean;
  version: string | null;
  peer: string | null;
}

/** Checks that no one on the way can read or change the traffic. */
export async function tlsFinding(session: Session, settings: ConnectionSettings, pooler: Pooler, now: Date): Promise<Finding> {
  const seen = await session.queryOne<Encryption>(`
    select coalesce(ssl, false) as "isEncrypted", pg_stat_ssl.version, host(client_addr) as peer from pg_stat_activity left join pg_stat_ssl using (pid) where pid = pg_backend_pid()`);
  return expiryFinding(settings, now) ?? unencryptedFinding(settings) ?? judgeEncryption(seen, pooler);
}

function unencryptedFinding({ ssl, host }: ConnectionSettings): Finding | undefined {
  const isHere = isThisMachine(host);
  if (ssl === false) return isHere ? ok('tls', 'None, and none is needed: the database is on this machine.') : warning('tls', 'None: password, prompts and answers cross the network in the clear. Put sslmode=verify-full into DATABASE_URL.');
  return ssl.rejectUnauthorized === false && !isHere ? warning('tls', 'Encrypted, but to whoever answers: sslmode=require does not check who the server is. Use sslmode=verify-full.') : undefined;
}

/** The diagnosis of the server's side of an encrypted connection; behind a pooler it is the pooler's connection. */
export function judgeEncryption({ isEncrypted, version, peer }: Encryption, pooler: Pooler): Finding {
  if (pooler === 'none') return ok('tls', `${version ?? 'On'}.`);
  if (isEncrypted) return ok('tls', `To the pooler, and from there to Postgres (${version}).`);
  return peer === null || isThisMachine(peer) ? ok('tls', 'To the pooler, which is on the machine of Postgres.') : warning('tls', 'Encrypted up to the pooler, and in the clear from there to Postgres.');
}

/** The first certificate to run out among those in files, if it soon does or has. */
export function expiryFinding({ ssl }: ConnectionSettings, now: Date): Finding | undefined {
  if (ssl === false) return undefined;
  const files = [['sslrootcert', ssl.ca], ['sslcert', ssl.cert]] as const;
  const endings = files.flatMap(([name, pem]) => (typeof pem === 'string' ? [{ name, ends: new X509Certificate(pem).validToDate }] : []));
  for (const { name, ends } of endings.sort((left, right) => left.ends.getTime() - right.ends.getTime())) {
    const days = Math.floor((ends.getTime() - now.getTime()) / DAY_MS);
    if (days < 0) return broken('tls', `The certificate in the file of ${name} ran out on ${day(ends)}.`);
    if (days < EXPIRY_NOTICE_DAYS) return warning('tls', `The certificate in the file of ${name} runs out on ${day(ends)}.`);
  }
  return undefined;
}

function day(at: Date): string {
  return at.toISOString().slice(0, 10);
}

interface Durability {
  fsync: string;
  pages: string;
  commit: string;
}

/** Checks that a crash of the server cannot lose acknowledged data. */
export async function durabilityFinding(session: Session): Promise<Finding> {
  const { fsync, pages, commit } = await session.queryOne<Durability>("select current_setting('fsync') as fsync, current_setting('full_page_writes') as pages, current_setting('synchronous_commit') as commit");
  if (fsync !== 'on') return broken('durability', 'fsync is off: a crash of the machine can destroy the whole database.');
  if (pages !== 'on') return warning('durability', 'full_page_writes is off: a crash can destroy pages, unless the file system writes them whole.');
  if (commit === 'off') return warning('durability', 'synchronous_commit is off: a crash loses evals and charges that were acknowledged a moment before.');
  return ok('durability', `fsync and full_page_writes are on, synchronous_commit is ${commit}.`);
}

interface Standby {
  name: string;
  state: string | null;
  syncState: string | null;
  lagBytes: string | null;
  lagSeconds: string | null;
}

/** The standbys, and their delay. */
export async function replicationFinding(session: Session): Promise<Finding> {
  const { names, maySee } = await session.queryOne<{ names: string; maySee: boolean }>("select current_setting('synchronous_standby_names') as names, pg_has_role(current_user, 'pg_read_all_stats', 'usage') as \"maySee\"");
  const standbys = await session.query<Standby>(`
    select application_name as name, state, sync_state as "syncState", pg_wal_lsn_diff(case when pg_is_in_recovery() then null else pg_current_wal_lsn() end, replay_lsn) as "lagBytes",
      extract(epoch from replay_lag) as "lagSeconds"
    from pg_stat_replication where application_name <> 'pg_basebackup' order by 1`);
  return judgeReplication(names, maySee, standbys);
}

/** The diagnosis of standbys for acknowledged evals. */
export function judgeReplication(names: string, maySee: boolean, standbys: readonly Standby[]): Finding {
  const isSynchronous = names !== '';
  if (standbys.length === 0) {
    return isSynchronous
      ? broken('replication', 'synchronous_standby_names is set and no standby is connected: every write waits until one is.')
      : ok('replication', 'No standby is connected. If the disk is lost, what is left is the last backup.');
  }
  if (!maySee) return warning('replication', `${standbys.length} connected; how far behind, this role may not see. Grant it pg_monitor.`);
  const list = standbys.map(({ name, syncState, lagBytes, lagSeconds }) => `${name} (${syncState}, ${bytes(Number(lagBytes ?? 0))} and ${Number(lagSeconds ?? 0).toFixed(1)} s behind)`).join(', ');
  if (isSynchronous && !standbys.some(({ syncState }) => syncState === 'sync' || syncState === 'quorum')) return broken('replication', `No synchronous standby is connected, so every write waits: ${list}.`);
  if (!isSynchronous) return warning('replication', `Asynchronous: a failover can lose evals and charges that were acknowledged. Set synchronous_standby_names, or synchronous_mode in Patroni. Connected: ${list}.`);
  return standbys.some(({ lagSeconds }) => Number(lagSeconds) > MAX_LAG_SECONDS) ? warning('replication', `A standby lags: ${list}.`) : ok('replication', `Synchronous: ${list}.`);
}

/** How far the clock of this machine is from that of the database. */
export async function clockFinding(session: Session, clock: { now(): Date }): Promise<Finding> {
  return judgeClock(await aheadOfDatabaseMs(async (text) => session.queryOne(text), clock));
}

/** The diagnosis of the milliseconds by which this machine is ahead of the database. */
export function judgeClock(aheadMs: number): Finding {
  const away = Math.abs(aheadMs);
  if (away <= MAX_CLOCK_DIFFERENCE_MS) return ok('clock', `This machine and the database agree to ${(away / 1000).toFixed(1)} s.`);
  const costs = `${sayDifference(aheadMs)}: evals get wrong times and charges the wrong month, and keys end too early or too late. Let both follow a time server.`;
  return away < BROKEN_CLOCK_DIFFERENCE_MS ? warning('clock', costs) : broken('clock', costs);
}
