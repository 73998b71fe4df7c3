import type { Answer, Api, CallOptions, Json } from './api';
import { rawRequest } from './raw';
import { BASE_PATHS } from './vendor/vendor-server';

/** Every secret carries this word; the vendor server's own secrets do as well. */
const WORD = 'CANARY';

/** The operator's secrets. */
export const SECRETS = {
  ADMIN_API_KEY: 'admin-CANARY-0123456789',
  API_KEY_PEPPER: 'pepper-CANARY-0123456789',
  STRIPE_SECRET_KEY: 'sk_test_CANARY_0123456789',
  STRIPE_WEBHOOK_SECRET: 'whsec_CANARY_0123456789',
  STRIPE_RETURN_URL: 'https://app.example.com/account',
};
/** Of the database's user. */
export const DATABASE_PASSWORD = 'CANARYdatabase';
/** Texts of a caller's: only that caller's own answers may hold them. */
export const OWN_TEXTS = { prompt: 'CANARYPROMPT', input: 'CANARYINPUT' };

/** A key for each vendor, in forms that no pattern knows, and an address for each. */
export function vendorSecrets(url: string): Record<string, string> {
  const vendors = Object.entries(BASE_PATHS).flatMap(([vendor, path]) => [[`${vendor.toUpperCase()}_BASE_URL`, url + path], [`${vendor.toUpperCase()}_API_KEY`, `${WORD}${vendor}`]]);
  return { ...Object.fromEntries(vendors) as Record<string, string>, LOCAL_MODELS: 'llama3.2', SIMULATOR: 'on' };
}

const INSIDES: readonly (readonly [string, RegExp])[] = [
  ['a stack frame', /\bat \S+ \([^)"\n]*:\d+|\.[cm]?[jt]s:\d+/],
  ['SQL', /\b(?:select .* from|insert into|update \S+ set|delete from|relation "|violates \S+ constraint)/i],
  ['an address', /\b(?:127\.0\.0\.1|localhost|\[::1\]|[\w-]+\.invalid)\b|ECONN|ENOTFOUND/],
  ['a file name', /(?:^|[\s"'(])\/(?:tmp|home|usr|app|srv|var|work|root|opt)\/|node_modules|\bdist\//],
];

/** Collects all that comes out of a service, to look for what must not. */
export class Catch {
  private readonly found: string[] = [];
  answers = 0;
  total = 0;
  lines = 0;
  faults = 0;

  /** Asks and looks into the whole answer; `allowed` are the texts that may be in it. */
  async ask(api: Api, method: string, path: string, body?: unknown, options: CallOptions & { allowed?: readonly string[] } = {}): Promise<Answer<Json>> {
    const answer = await api.call(method, path, body, options);
    this.answer(`${method} ${path} ${answer.status}`, [...answer.headers].join('\n') + answer.text, options.allowed ?? []);
    return answer;
  }

  /** What has been found since the last time. */
  take(): string[] {
    this.total += this.found.length;
    return this.found.splice(0);
  }

  /** The same for bytes that no client of ours would send. */
  async askRaw(url: string, what: string, bytes: string): Promise<void> {
    const answer = await rawRequest(url, bytes);
    this.answer(what, JSON.stringify(answer?.headers ?? {}) + (answer?.body ?? ''), []);
  }

  /** Looks into what a process has printed; `secrets` are what else it must not hold. */
  output(what: string, text: string, secrets: readonly string[] = []): void {
    for (const line of text.split('\n').filter(Boolean)) {
      this.lines += 1;
      if ([WORD, ...secrets].some((secret) => line.includes(secret))) this.found.push(`log of ${what}: ${line.slice(0, 3000)}`);
    }
  }

  private answer(what: string, text: string, allowed: readonly string[]): void {
    this.answers += 1;
    const rest = allowed.reduce((left, own) => left.replaceAll(own, ''), text);
    if (rest.includes(WORD)) this.found.push(`${what}: ${rest.slice(Math.max(0, rest.indexOf(WORD) - 300), rest.indexOf(WORD) + 300)}`);
    if (what.includes('/docs')) return;
    for (const [inside, pattern] of INSIDES) {
      const match = pattern.exec(rest);
      if (match !== null) this.found.push(`${what} shows ${inside}: ${rest.slice(Math.max(0, match.index - 100), match.index + 200)}`);
    }
  }
}
