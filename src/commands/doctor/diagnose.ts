import { Clock } from '../../common/clock';
import type { ConnectionSettings } from '../../config/connection-string';
import type { Variables } from '../../config/process-environment';
import { redact, registerSecrets } from '../../observability/redaction';
import { isGiven } from '../../config/setting-files';
import { version } from '../../common/version';
import { withTimeout } from '../../common/with-timeout';
import { explainDatabaseError } from '../../database/explain-database-error';
import { isConnectionLost } from '../../database/is-database-unavailable';
import { connectionsFinding, growthFinding } from './capacity';
import { broken, ok, type Finding } from './finding';
import { findPooler, poolerFinding, timeoutsFinding } from './pooler';
import { redisFinding } from './redis';
import { neededSchema, privilegesFinding, restoreFinding, schemaFinding } from './schema';
import { clockFinding, durabilityFinding, expiryFinding, postgresFinding, replicationFinding, tlsFinding } from './server';
import { Session } from './session';
import { connectionOf, readSettings, type ValidSettings } from './settings';
import { vendorsFindings } from './vendors';

/** More than the longest of what a check waits for. */
const MAX_CHECK_MS = 12_000;

type Check = readonly [name: string, look: () => Promise<Finding>];

/** Looks at everything the service depends on, and changes nothing. Whatever does not answer is one finding; the rest is looked at all the same. */
export async function diagnose(variables: Variables): Promise<Finding[]> {
  const { settings, findings } = readSettings(variables);
  registerSecrets(settings);
  const [database, redis, vendors] = await Promise.all([databaseFindings(settings), redisFinding(settings.REDIS_URL, isGiven('REDIS_URL', variables)), vendorsFindings(settings)]);
  return [ok('versions', `Model Comparison Service ${version} on Node ${process.versions.node}.`), ...findings, ...database, redis, ...vendors];
}

async function databaseFindings(settings: ValidSettings): Promise<Finding[]> {
  const connection = connectionOf(settings);
  if (connection === undefined) return [broken('database', 'Without a valid DATABASE_URL, and without an embedded database that runs, there is none to look at.')];
  const timeoutMs = settings.DATABASE_TIMEOUT_MS ?? 5000;
  const expired = expiryFinding(connection, new Clock().now());
  const open = () => Session.open(connection, timeoutMs);
  let session: Session | undefined;
  try {
    session = await open();
    return await inTurn(await checksOf(session, open, connection, settings));
  } catch (error) {
    // A certificate that has run out is a likely cause.
    return [broken('database', explain(error)), ...(expired === undefined ? [] : [expired])];
  } finally {
    session?.close();
  }
}

async function checksOf(session: Session, open: () => Promise<Session>, connection: ConnectionSettings, settings: ValidSettings): Promise<Check[]> {
  const { DATABASE_URL = '', DATABASE_POOL_MAX = 20, DATABASE_TIMEOUT_MS = 5000, WEB_CONCURRENCY = 1 } = settings;
  const pooler = await withTimeout(MAX_CHECK_MS, findPooler(session, open));
  const needed = await neededSchema(DATABASE_URL);
  const clock = new Clock();
  return [
    ['database', () => postgresFinding(session)],
    ['tls', () => tlsFinding(session, connection, pooler, clock.now())],
    ['pooler', () => poolerFinding(session, pooler, settings.DATABASE_PREPARE ?? true)],
    ['timeouts', () => timeoutsFinding(session, DATABASE_TIMEOUT_MS)],
    ['schema', () => schemaFinding(session, needed)],
    ['privileges', () => privilegesFinding(session, needed, settings.MIGRATE_ON_START ?? false)],
    ['restore', () => restoreFinding(session)],
    ['durability', () => durabilityFinding(session)],
    ['replication', () => replicationFinding(session)],
    ['connections', () => connectionsFinding(session, connection.application_name, DATABASE_POOL_MAX * WEB_CONCURRENCY, pooler)],
    ['clock', () => clockFinding(session, clock)],
    ['growth', () => growthFinding(session, clock.now())],
  ];
}

/** One after the other on one connection; those after its loss cannot be made. */
async function inTurn(checks: readonly Check[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [name, look] of checks) {
    try {
      findings.push(await withTimeout(MAX_CHECK_MS, look()));
    } catch (error) {
      findings.push(broken(name, explain(error)));
      if (isConnectionLost(error) || isSilent(error)) break;
    }
  }
  return findings;
}

function isSilent(error: unknown): boolean {
  return error instanceof Error && /^(Query read timeout|No response within)/.test(error.message);
}

// Only what others say is redacted: of a password that is a common word, gaps in our own sentences would give away which.
function explain(error: unknown): string {
  return explainDatabaseError(error) ?? redact(error instanceof Error ? error.message : String(error));
}
