import { reportOf, type ConfigReport } from '../config/config-report';
import type { Settings } from '../config/environment';
import type { Variables } from '../config/process-environment';
import { catalogProblems } from '../models/load-catalog';

/** All settings and everything that would keep the service from starting with them, the catalog of models included; connects nowhere. */
export function settingsReport(variables: Variables): ConfigReport {
  return reportOf(variables, (settings) => (hasCatalog(settings) ? catalogProblems(settings) : []));
}

// Not while one of them is wrong itself.
function hasCatalog(settings: Partial<Settings>): settings is Settings {
  return settings.LOCAL_MODELS !== undefined;
}
