import { join } from 'node:path';
import { runningEmbeddedUrl } from '../../bootstrap/embedded-postgres/running-server';
import { LOCAL_FOLDER } from '../../bootstrap/prepare';
import { Clock } from '../../common/clock';
import { version } from '../../common/version';
import { withTimeout } from '../../common/with-timeout';
import { examine } from '../../platform/config/config';
import { reportOf } from '../../platform/config/config-report';
import {
  ConnectionStringError,
  parseConnectionString,
  type ConnectionSettings,
} from '../../platform/config/connection-string';
import type { Settings } from '../../platform/config/environment';
import type { Variables } from '../../platform/config/process-environment';
import { isGiven } from '../../platform/config/setting-files';
import { explainDatabaseError } from '../../platform/database/explain-database-error';
import { isConnectionLost } from '../../common/is-database-unavailable';
import { catalogProblems } from '../../modules/models/load-catalog';
import { redact, registerSecrets } from '../../platform/observability/redaction';
import { diagnoseClock, diagnoseConnections, diagnoseDurability, diagnosePostgres, diagnoseTimeouts } from './database';
import { diagnoseExperiments } from './experiments';
import { broken, ok, warning, type NamedJudgment, type Judgment } from './finding';
import { diagnosePooler, findPooler } from './pooler';
import { diagnoseRedis } from './redis';
import { diagnosePrivileges, diagnoseSchema, neededSchema } from './schema';
import { Session } from './session';
import { certificateVerdict, diagnoseTls } from './tls';
import { diagnoseCatalog, diagnoseVendors } from './vendors';

/** More than the longest wait of a diagnosis. */
const MAX_DIAGNOSIS_MS = 12_000;

const named = (diagnosis: string, verdicts: Judgment[]): NamedJudgment[] =>
  verdicts.map((verdict) => ({ diagnosis, ...verdict }));

/**
 * Diagnoses everything the service depends on, and changes nothing. A silent dependency is one finding; the rest is
 * diagnosed all the same.
 */
export async function diagnose(variables: Variables): Promise<NamedJudgment[]> {
  const { problems, warnings } = reportOf(variables, catalogProblems);
  const settings = withEmbedded(examine(variables).settings, variables);
  registerSecrets(settings);
  const [database, redis, vendors, catalog] = await Promise.all([
    diagnoseDatabase(settings),
    diagnoseRedis(settings.REDIS_URL, isGiven('REDIS_URL', variables)),
    diagnoseVendors(settings),
    diagnoseCatalog(settings),
  ]);
  const ofSettings = [...problems.map(broken), ...warnings.map(warning)];
  return [
    ...named('versions', [ok(`Model Comparison Service ${version} on Node ${process.versions.node}.`)]),
    ...named('settings', ofSettings.length > 0 ? ofSettings : [ok('The service can start with them.')]),
    ...database,
    ...named('redis', [redis]),
    ...named('vendors', vendors),
    ...named('catalog', [catalog]),
  ];
}

/** A missing address is that of the running embedded database, if there is one; none is started. */
function withEmbedded(settings: Partial<Settings>, variables: Variables): Partial<Settings> {
  if (isGiven('DATABASE_URL', variables) || settings.NODE_ENV === 'production') return settings;
  return { ...settings, DATABASE_URL: runningEmbeddedUrl(join(process.cwd(), LOCAL_FOLDER, 'postgres'), 'mcs') };
}

async function diagnoseDatabase(settings: Partial<Settings>): Promise<NamedJudgment[]> {
  const connection = connectionOf(settings.DATABASE_URL);
  if (connection === undefined)
    return named('database', [
      broken('Without a valid DATABASE_URL, and without an embedded database that runs, there is none to look at.'),
    ]);
  const open = () => Session.open(connection, settings.DATABASE_TIMEOUT_MS ?? 5000);
  let session: Session | undefined;
  try {
    session = await open();
    return await inTurn(await diagnosesOf(session, open, connection, settings));
  } catch (error) {
    // An expired certificate is a likely cause.
    const expired = certificateVerdict(connection, new Clock().now());
    return [...named('database', [broken(explain(error))]), ...named('tls', expired === undefined ? [] : [expired])];
  } finally {
    session?.close();
  }
}

/** The settings have reported an invalid address. */
function connectionOf(url: string | undefined): ConnectionSettings | undefined {
  try {
    return url === undefined ? undefined : parseConnectionString(url);
  } catch (error) {
    if (error instanceof ConnectionStringError) return undefined;
    throw error;
  }
}

type Diagnosis = readonly [name: string, diagnose: () => Promise<Judgment>];

async function diagnosesOf(
  session: Session,
  open: () => Promise<Session>,
  connection: ConnectionSettings,
  settings: Partial<Settings>,
): Promise<Diagnosis[]> {
  const {
    DATABASE_URL = '',
    DATABASE_POOL_MAX = 20,
    DATABASE_TIMEOUT_MS = 5000,
    DATABASE_PREPARE = true,
    MIGRATE_ON_START = false,
    WEB_CONCURRENCY = 1,
  } = settings;
  const pooler = await withTimeout(MAX_DIAGNOSIS_MS, findPooler(session, open));
  const needed = await neededSchema(DATABASE_URL);
  const clock = new Clock();
  return [
    ['database', () => diagnosePostgres(session)],
    ['tls', () => diagnoseTls(session, connection, pooler, clock.now())],
    ['pooler', () => diagnosePooler(session, pooler, DATABASE_PREPARE)],
    ['timeouts', () => diagnoseTimeouts(session, DATABASE_TIMEOUT_MS)],
    ['schema', () => diagnoseSchema(session, needed)],
    ['privileges', () => diagnosePrivileges(session, needed, MIGRATE_ON_START)],
    ['durability', () => diagnoseDurability(session)],
    [
      'connections',
      () => diagnoseConnections(session, connection.application_name, DATABASE_POOL_MAX * WEB_CONCURRENCY, pooler),
    ],
    ['clock', () => diagnoseClock(session, clock)],
    ['experiments', () => diagnoseExperiments(session)],
  ];
}

/** One after the other on one connection; those after its loss cannot be made. */
async function inTurn(diagnoses: readonly Diagnosis[]): Promise<NamedJudgment[]> {
  const findings: NamedJudgment[] = [];
  for (const [name, look] of diagnoses) {
    try {
      findings.push(...named(name, [await withTimeout(MAX_DIAGNOSIS_MS, look())]));
    } catch (error) {
      findings.push(...named(name, [broken(explain(error))]));
      if (
        isConnectionLost(error) ||
        (error instanceof Error && /^(Query read timeout|No response within)/.test(error.message))
      )
        break;
    }
  }
  return findings;
}

// Only foreign text is redacted: gaps in our own sentences would reveal a password that is a common word.
function explain(error: unknown): string {
  return explainDatabaseError(error) ?? redact(error instanceof Error ? error.message : String(error));
}
