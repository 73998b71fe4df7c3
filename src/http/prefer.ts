import { ApiError } from '../common/errors';

/** The maximum wait for a run, in seconds; a longer wait is reduced to this. */
const MAX_WAIT_SECONDS = 30;

/** The content of a Prefer header (RFC 7240); unknown preferences are ignored. */
export interface Preferences {
  /** True if the request is to be answered before its work is done. */
  isAsync: boolean;
  /** How long to wait for the work all the same, in seconds. */
  waitSeconds: number;
}

const TOKEN = /[!#$%&'*+.^_`|~\w-]+/y;
const QUOTED = /"((?:[^"\\\x00-\x08\x0a-\x1f\x7f]|\\[\t\x20-\x7e\x80-\uffff])*)"/y;
const BLANKS = /[\t ]*/y;
const NONE: Preferences = { isAsync: false, waitSeconds: 0 };

/** Reads a Prefer header. @throws ApiError invalid_request when it is malformed */
export function preferencesOf(headers: Readonly<Record<string, string | string[] | undefined>>): Preferences {
  const { prefer } = headers;
  if (prefer === undefined) return NONE;
  const preferences = new PreferReader(Array.isArray(prefer) ? prefer.join(',') : prefer).read();
  const asynchronous = preferences.get('respond-async');
  const wait = preferences.get('wait');
  if (asynchronous !== undefined && asynchronous !== '') throw malformed('respond-async takes no value');
  if (wait !== undefined && !/^\d{1,9}$/.test(wait)) throw malformed('wait must be a whole number of seconds, such as wait=20');
  return { isAsync: asynchronous !== undefined, waitSeconds: asynchronous === undefined ? 0 : Math.min(Number(wait ?? 0), MAX_WAIT_SECONDS) };
}

/** The value of the Preference-Applied header. */
export function preferenceApplied({ waitSeconds }: Preferences): string {
  return waitSeconds > 0 ? `respond-async, wait=${waitSeconds}` : 'respond-async';
}

function malformed(problem: string): ApiError {
  return new ApiError('invalid_request', { message: `Prefer is malformed: ${problem}.`, param: 'Prefer' });
}

/** Reads `1#( token [ "=" word ] *( ";" [ token [ "=" word ] ] ) )`, empty elements allowed, as lists of HTTP have them. */
class PreferReader {
  private at = 0;

  constructor(private readonly text: string) {}

  /** The value of each preference by its name in lower case; only the first of a name counts. */
  read(): Map<string, string> {
    const preferences = new Map<string, string>();
    for (;;) {
      this.skip(BLANKS);
      if (this.next !== ',' && this.next !== undefined) this.readPreference(preferences);
      if (this.next === undefined) break;
      this.at += 1;
    }
    if (preferences.size === 0) throw malformed('it names no preference');
    return preferences;
  }

  private get next(): string | undefined {
    return this.text[this.at];
  }

  private readPreference(preferences: Map<string, string>): void {
    const { name, value } = this.readParameter();
    if (!preferences.has(name)) preferences.set(name, value);
    while (this.next === ';') {
      this.at += 1;
      this.skip(BLANKS);
      if (this.next !== ';' && this.next !== ',' && this.next !== undefined) this.readParameter();
    }
    if (this.next !== ',' && this.next !== undefined) throw malformed(`a comma is expected at character ${this.at + 1}`);
  }

  private readParameter(): { name: string; value: string } {
    const name = this.skip(TOKEN)?.[0];
    if (name === undefined) throw malformed(`a name is expected at character ${this.at + 1}`);
    this.skip(BLANKS);
    if (this.next !== '=') return { name: name.toLowerCase(), value: '' };
    this.at += 1;
    this.skip(BLANKS);
    const value = this.skip(QUOTED)?.[1]?.replaceAll(/\\(.)/gs, '$1') ?? this.skip(TOKEN)?.[0];
    if (value === undefined) throw malformed(`a value is expected at character ${this.at + 1}`);
    this.skip(BLANKS);
    return { name: name.toLowerCase(), value };
  }

  private skip(form: RegExp): RegExpExecArray | undefined {
    form.lastIndex = this.at;
    const found = form.exec(this.text) ?? undefined;
    if (found !== undefined) this.at = form.lastIndex;
    return found;
  }
}
