import { ApiError } from '../../common/errors';

/** The maximum wait for a run, in seconds; a longer wait is reduced to this. */
const MAX_WAIT_SECONDS = 30;

/** The content of a Prefer header (RFC 7240); unknown preferences are ignored. */
export interface Preferences {
  /** True if the request is to be answered before its work is done. */
  isAsync: boolean;
  /** How long to wait for the work all the same, in seconds. */
  waitSeconds: number;
}

/** An element of the list: a name, perhaps with a value, and parameters, which are ignored. */
const ELEMENT =
  /[\t ]*(?:([!#$%&'*+.^_`|~\w-]+)[\t ]*(?:=[\t ]*(?:"((?:[^"\\]|\\.)*)"|([!#$%&'*+.^_`|~\w-]+))?[\t ]*)?(?:;(?:[^,"]|"(?:[^"\\]|\\.)*")*)?)?/y;

/** Reads a Prefer header. @throws ApiError invalid_request when it is malformed */
export function preferencesOf({ prefer }: Readonly<Record<string, string | string[] | undefined>>): Preferences {
  if (prefer === undefined) return { isAsync: false, waitSeconds: 0 };
  const preferences = readList(String(prefer));
  const [asynchronous, wait] = [preferences.get('respond-async'), preferences.get('wait')];
  if (asynchronous !== undefined && asynchronous !== '') throw malformed('respond-async takes no value');
  if (wait !== undefined && !/^\d{1,9}$/.test(wait))
    throw malformed('wait must be a whole number of seconds, such as wait=20');
  return {
    isAsync: asynchronous !== undefined,
    waitSeconds: asynchronous === undefined ? 0 : Math.min(Number(wait ?? 0), MAX_WAIT_SECONDS),
  };
}

/** The values by name in lower case; only the first of a name counts. */
function readList(text: string): Map<string, string> {
  const values = new Map<string, string>();
  for (let at = 0; at <= text.length; at = ELEMENT.lastIndex + 1) {
    ELEMENT.lastIndex = at;
    const [, name, quoted, value = quoted ?? ''] = ELEMENT.exec(text) ?? [];
    if (![',', undefined].includes(text[ELEMENT.lastIndex]))
      throw malformed(`a ${name === undefined ? 'name' : 'comma'} is expected at character ${ELEMENT.lastIndex + 1}`);
    if (name !== undefined && !values.has(name.toLowerCase())) values.set(name.toLowerCase(), value);
  }
  if (values.size === 0) throw malformed('it names no preference');
  return values;
}

/**
 * The seconds that a reader prefers to wait for a change. @throws ApiError invalid_request when the header is malformed
 */
export function waitOf({ prefer }: Readonly<Record<string, string | string[] | undefined>>): number {
  return preferencesOf({ prefer: prefer === undefined ? undefined : `respond-async, ${String(prefer)}` }).waitSeconds;
}

/** The value of the Preference-Applied header. */
export function preferenceApplied({ waitSeconds }: Preferences): string {
  return waitSeconds > 0 ? `respond-async, wait=${waitSeconds}` : 'respond-async';
}

function malformed(problem: string): ApiError {
  return new ApiError('invalid_request', { message: `Prefer is malformed: ${problem}.`, param: 'Prefer' });
}
