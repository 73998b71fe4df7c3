import type { Answer, Api, CallOptions, Json } from './api';
import { rawRequest } from './raw';
import { BASE_PATHS } from './vendor/vendor-server';

/** Every secret contains this marker; the vendor server's own secrets do as well. */
const WORD = 'MARKER';

/** The operator's secrets. */
export const SECRETS = {
  ADMIN_API_KEY: 'admin-MARKER-0123456789',
  API_KEY_PEPPER: 'pepper-MARKER-0123456789',
  STRIPE_SECRET_KEY: 'sk_test_MARKER_0123456789',
  STRIPE_WEBHOOK_SECRET: 'whsec_MARKER_0123456789',
  STRIPE_RETURN_URL: 'https://app.example.com/account',
};
/** Of the database's user. */
export const DATABASE_PASSWORD = 'MARKERdatabase';
/** Texts of a caller: only that caller's own responses may contain them. */
export const OWN_TEXTS = { prompt: 'MARKERPROMPT', input: 'MARKERINPUT' };

/** A key for each vendor, in forms that no pattern knows, and an address for each. */
export function vendorSecrets(url: string): Record<string, string> {
  const vendors = Object.entries(BASE_PATHS).flatMap(([vendor, path]) => [
    [`${vendor.toUpperCase()}_BASE_URL`, url + path],
    [`${vendor.toUpperCase()}_API_KEY`, `${WORD}${vendor}`],
  ]);
  return { ...(Object.fromEntries(vendors) as Record<string, string>), LOCAL_MODELS: 'llama3.2', SIMULATOR: 'on' };
}

const INSIDES: readonly (readonly [string, RegExp])[] = [
  ['a stack frame', /\bat \S+ \([^)"\n]*:\d+|\.[cm]?[jt]s:\d+/],
  ['SQL', /\b(?:select .* from|insert into|update \S+ set|delete from|relation "|violates \S+ constraint)/i],
  ['an address', /\b(?:127\.0\.0\.1|localhost|\[::1\]|[\w-]+\.invalid)\b|ECONN|ENOTFOUND/],
  ['a file name', /(?:^|[\s"'(])\/(?:tmp|home|usr|app|srv|var|work|root|opt)\/|node_modules|\bdist\//],
];

/** Searches responses and logs of a service for secrets and internals that must not leave it. */
export class LeakDetector {
  private readonly leaks: string[] = [];
  answers = 0;
  total = 0;
  lines = 0;
  faults = 0;

  /** Sends a request and checks the complete response; `allowed` are the texts that may be in it. */
  async request(
    api: Api,
    method: string,
    path: string,
    body?: unknown,
    options: CallOptions & { allowed?: readonly string[] } = {},
  ): Promise<Answer<Json>> {
    const answer = await api.call(method, path, body, options);
    this.check(
      `${method} ${path} ${answer.status}`,
      [...answer.headers].join('\n') + answer.text,
      options.allowed ?? [],
    );
    return answer;
  }

  /** Returns the leaks that were found since the last call. */
  takeLeaks(): string[] {
    this.total += this.leaks.length;
    return this.leaks.splice(0);
  }

  /** The same for raw bytes that no client would send. */
  async requestRaw(url: string, what: string, bytes: string): Promise<void> {
    const answer = await rawRequest(url, bytes);
    this.check(what, JSON.stringify(answer?.headers ?? {}) + (answer?.body ?? ''), []);
  }

  /** Checks what a process has printed; `secrets` are what else it must not contain. */
  checkOutput(what: string, text: string, secrets: readonly string[] = []): void {
    for (const line of text.split('\n').filter(Boolean)) {
      this.lines += 1;
      if ([WORD, ...secrets].some((secret) => line.includes(secret)))
        this.leaks.push(`log of ${what}: ${line.slice(0, 3000)}`);
    }
  }

  private check(what: string, text: string, allowed: readonly string[]): void {
    this.answers += 1;
    const rest = allowed.reduce((left, own) => left.replaceAll(own, ''), text);
    if (rest.includes(WORD))
      this.leaks.push(`${what}: ${rest.slice(Math.max(0, rest.indexOf(WORD) - 300), rest.indexOf(WORD) + 300)}`);
    if (what.includes('/docs')) return;
    for (const [inside, pattern] of INSIDES) {
      const match = pattern.exec(rest);
      if (match !== null)
        this.leaks.push(`${what} shows ${inside}: ${rest.slice(Math.max(0, match.index - 100), match.index + 200)}`);
    }
  }
}
