import { FILE_SETTINGS } from '../../src/common/setting-files';
import { parseEnvFile, problemsOf, secondsToStop } from './settings';

/** The variables that a unit sets; %d is the folder of its credentials. */
export function unitVariables(unit: string): Record<string, string> {
  return parseEnvFile(valuesOf(unit, 'Environment').join('\n'));
}

/** Problems of a systemd unit that systemd itself does not report. */
export function unitProblems(unit: string): string[] {
  const variables = unitVariables(unit);
  const credentials = valuesOf(unit, 'LoadCredential').map((value) => value.split(':')[0] ?? '');
  const read = Object.values(variables).filter((value) => value.startsWith('%d/')).map((value) => value.slice('%d/'.length));
  const [seconds = '0'] = valuesOf(unit, 'TimeoutStopSec');
  const needed = secondsToStop(variables);
  return [
    ...problemsOf(variables),
    ...read.filter((name) => !credentials.includes(name)).map((name) => `${name} is not loaded`),
    ...credentials.filter((name) => !read.includes(name)).map((name) => `${name} is not read`),
    ...Object.keys(variables).filter((name) => FILE_SETTINGS.includes(name)).map((name) => `${name} is no file`),
    ...(Number(seconds) > needed ? [] : [`${seconds} s are not enough to stop, which can take ${needed} s`]),
  ];
}

function valuesOf(unit: string, name: string): string[] {
  return [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value ?? '');
}
