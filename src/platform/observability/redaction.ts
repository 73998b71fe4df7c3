const MIN_LENGTH = 6;
const REPLACEMENT = '[redacted]';
// Users' keys and the tokens of share links are no settings; their form is known (auth/token.format.ts). In the path of
// a link, `_` may be encoded.
const TOKEN = 'mcs(?:_|%5[fF])(?:share(?:_|%5[fF]))?[0-9A-Za-z]{36}';

let known = new RegExp(TOKEN, 'g');

/**
 * Takes note of this process's own secrets: settings that are named so, and the passwords in addresses. Very short ones
 * are left out, which would cut up ordinary words.
 */
export function registerSecrets(settings: Readonly<Record<string, unknown>>): void {
  const secrets = Object.entries(settings).flatMap(([name, value]) =>
    typeof value === 'string' ? secretsIn(name, value) : [],
  );
  // Also in their JSON form; the longest first, so that no secret is cut by a shorter one inside it.
  const spellings = [...new Set(secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]))].filter(
    ({ length }) => length >= MIN_LENGTH,
  );
  known = new RegExp(
    [
      TOKEN,
      ...spellings
        .sort((left, right) => right.length - left.length)
        .map((text) => text.replace(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`)),
    ].join('|'),
    'g',
  );
}

/**
 * The same text without any of them: the last line of defense for what others say to us, such as vendors that quote a
 * key.
 */
export function redact(text: string): string {
  return text.replace(known, REPLACEMENT);
}

/** True if the value of that setting must not be shown: it is a secret, or an address that may contain one. */
export function isSecretSetting(name: string, value: string): boolean {
  return name === 'DATABASE_URL' || name === 'REDIS_URL' || secretsIn(name, value).length > 0;
}

function secretsIn(name: string, value: string): string[] {
  if (/(?<!_PER)_(KEY|SECRET|PEPPER|TOKEN)(_PREVIOUS)?$/.test(name)) return [value];
  if (/^OTEL_.*_HEADERS$/.test(name)) return [value, ...headerValuesIn(value)];
  const password = /_(URL|ENDPOINT)$/.test(name) ? (URL.parse(value)?.password ?? '') : '';
  return password === '' ? [] : [password, decodedOrSame(password)];
}

/**
 * The values in a list such as `authorization=Bearer%20abc,x-tenant=me`, and what is left of each without its first
 * word.
 */
function headerValuesIn(list: string): string[] {
  return list.split(',').flatMap((pair) => {
    const value = pair.slice(pair.indexOf('=') + 1).trim();
    const decoded = decodedOrSame(value);
    return [value, decoded, decoded.replace(/^\w+ /, '')];
  });
}

function decodedOrSame(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
