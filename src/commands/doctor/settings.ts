import { join } from 'node:path';
import { runningEmbeddedUrl } from '../../bootstrap/embedded-postgres/running-server';
import { LOCAL_FOLDER } from '../../bootstrap/prepare';
import { examine } from '../../config/config';
import { reportOf } from '../../config/config-report';
import { ConnectionStringError, parseConnectionString, type ConnectionSettings } from '../../config/connection-string';
import type { Settings } from '../../config/environment';
import type { Variables } from '../../config/process-environment';
import { isGiven } from '../../config/setting-files';
import { catalogProblems } from '../../models/load-catalog';
import { broken, ok, warning, type Finding } from './finding';

/** The valid settings of the service. */
export type ValidSettings = Partial<Settings>;

/** Reads the settings without making up what is missing, as a first start would. */
export function readSettings(variables: Variables): { settings: ValidSettings; findings: Finding[] } {
  const { problems, warnings } = reportOf(variables, catalogProblems);
  const { settings } = examine(variables);
  const findings = [
    ...problems.map((problem) => broken('settings', problem)),
    ...warnings.map((sentence) => warning('settings', sentence)),
  ];
  const all = settings.DATABASE_URL === undefined && !isGiven('DATABASE_URL', variables) ? { ...settings, ...embedded(settings) } : settings;
  return { settings: all, findings: findings.length > 0 ? findings : [ok('settings', 'The service can start with them.')] };
}

function embedded({ NODE_ENV }: ValidSettings): ValidSettings {
  const url = NODE_ENV === 'production' ? undefined : runningEmbeddedUrl(join(process.cwd(), LOCAL_FOLDER, 'postgres'), 'mcs');
  return url === undefined ? {} : { DATABASE_URL: url };
}

/** The address of the database; undefined if it is invalid, which the settings have reported by then. */
export function connectionOf({ DATABASE_URL }: ValidSettings): ConnectionSettings | undefined {
  try {
    return DATABASE_URL === undefined ? undefined : parseConnectionString(DATABASE_URL);
  } catch (error) {
    if (error instanceof ConnectionStringError) return undefined;
    throw error;
  }
}
