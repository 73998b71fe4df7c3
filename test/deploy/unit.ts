import { FILE_SETTINGS } from '../../src/platform/config/setting-files';
import { parseEnvFile, problemsOf, secondsToStop } from './settings';

/** The exit status of a start that was refused: src/main.ts. */
const REFUSED = '78';

/** The variables that a unit sets; %d is the folder of its credentials. */
export function unitVariables(unit: string): Record<string, string> {
  return parseEnvFile(valuesOf(unit, 'Environment').join('\n'));
}

/** Problems of a systemd unit that systemd itself does not report. */
export function unitProblems(unit: string): string[] {
  const variables = unitVariables(unit);
  const needed = secondsToStop(variables);
  const [seconds = '0'] = valuesOf(unit, 'TimeoutStopSec');
  return [
    ...settingProblems(unit),
    ...(Number(seconds) > needed ? [] : [`${seconds} s are not enough to stop, which can take ${needed} s`]),
    ...(valuesOf(unit, 'RestartPreventExitStatus').includes(REFUSED)
      ? []
      : ['a start that was refused is tried for ever']),
    ...(variables['MIGRATE_ON_START'] === undefined ? [] : ["the service's role may not migrate"]),
  ];
}

/** The problems of the settings and credentials of a unit that runs the service or one of its commands. */
export function settingProblems(unit: string): string[] {
  const variables = unitVariables(unit);
  const credentials = valuesOf(unit, 'LoadCredential').map((value) => value.split(':')[0] ?? '');
  const read = Object.values(variables)
    .filter((value) => value.startsWith('%d/'))
    .map((value) => value.slice('%d/'.length));
  return [
    ...problemsOf(variables),
    ...read.filter((name) => !credentials.includes(name)).map((name) => `${name} is not loaded`),
    ...credentials.filter((name) => !read.includes(name)).map((name) => `${name} is not read`),
    ...Object.keys(variables)
      .filter((name) => FILE_SETTINGS.includes(name))
      .map((name) => `${name} is no file`),
  ];
}

function valuesOf(unit: string, name: string): string[] {
  return [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value ?? '');
}
