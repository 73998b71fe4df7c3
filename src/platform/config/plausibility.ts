import { isThisMachine } from './connection-string';
import { environment, type Settings } from './environment';
import { envFileWarnings, type Variables } from './process-environment';
import { removedIn, unknownIn } from './unknown-settings';

/** Postgres has 100 connections by default. */
const MAX_PLAUSIBLE_CONNECTIONS = 500;
const MIN_SECRET_CHARACTERS = 24;
const QUOTED = /^\s*["'].*["']\s*$/s;

/** How keys begin, and whose they are. */
const PREFIXES: readonly (readonly [prefix: RegExp, owner: string])[] = [
  [/^sk-ant-/, 'ANTHROPIC_API_KEY'],
  [/^sk-or-/, 'OPENROUTER_API_KEY'],
  [/^sk-(proj|svcacct)-/, 'OPENAI_API_KEY'],
  [/^gsk_/, 'GROQ_API_KEY'],
  [/^xai-/, 'XAI_API_KEY'],
  [/^AIza/, 'GEMINI_API_KEY'],
  [/^[rs]k_(live|test)_/, 'STRIPE_SECRET_KEY'],
  [/^whsec_/, 'STRIPE_WEBHOOK_SECRET'],
  [/^pk_(live|test)_/, "Stripe's publishable key"],
];

type Name = keyof Settings;

/**
 * Returns a sentence for each implausible setting, each variable that looks like a setting, and each line of `.env`
 * that says nothing. Shows no secret.
 */
export function warningsAbout(settings: Partial<Settings>, variables: Variables): string[] {
  const unknown = unknownIn(variables).map(({ sentence }) => sentence);
  const each = Object.entries(settings).flatMap(([name, value]) =>
    typeof value === 'number'
      ? shortTime(name as Name, value)
      : typeof value === 'string'
        ? aboutText(name, value)
        : [],
  );
  return [...envFileWarnings, ...unknown, ...removedIn(variables), ...each, ...aboutSeveral(settings)];
}

/** A margin as people say it. */
export function percentOf(margin: string): string {
  return `${Number((Number(margin) * 100).toFixed(4))} percent`;
}

function shortTime(name: Name, value: number): string[] {
  const usual = Number(environment.shape[name].safeParse(undefined).data);
  // Some defaults are below a second; 0 is off.
  const isShort = name.endsWith('_MS') && value > 0 && value < Math.min(1000, usual / 5);
  return isShort
    ? [`${name} is ${value} milliseconds; if ${value} seconds are meant, it has to be ${value * 1000}.`]
    : [];
}

function aboutText(name: string, value: string): string[] {
  const owner = ownerOf(value.replace(/^[\s"']+/, ''));
  return [
    ...(QUOTED.test(value) ? [`${name} is in quotation marks, which are part of it.`] : []),
    ...(owner === undefined || owner === name || !/_(KEY|SECRET)$/.test(name)
      ? []
      : [`${name} begins like ${owner}; is it in the wrong place?`]),
    ...(/_BASE_URL$/.test(name) && /^http:/i.test(value) && isElsewhere(value)
      ? [
          `${name} is an http:// address of another machine: keys and prompts are sent there unencrypted. Is https:// meant?`,
        ]
      : []),
    ...(['ADMIN_API_KEY', 'METRICS_TOKEN'].includes(name) && value.length < MIN_SECRET_CHARACTERS
      ? [
          `${name} has fewer than ${MIN_SECRET_CHARACTERS} characters, which may be guessed; \`openssl rand -hex 32\` makes a good one.`,
        ]
      : []),
  ];
}

function ownerOf(key: string): string | undefined {
  return PREFIXES.find(([prefix]) => prefix.test(key))?.[1];
}

function aboutSeveral({
  NODE_ENV,
  DATABASE_URL = '',
  ADMIN_API_KEY,
  API_KEY_PEPPER,
  METRICS_TOKEN,
  DATABASE_POOL_MAX = 0,
  WEB_CONCURRENCY = 1,
  EVAL_TIMEOUT_MS = Infinity,
  MODEL_TIMEOUT_MS = 0,
}: Partial<Settings>): string[] {
  const isSame = (one: string | undefined, other: string | undefined) => one !== undefined && one === other;
  const rules: readonly (readonly [isSo: boolean, sentence: string])[] = [
    [
      EVAL_TIMEOUT_MS < MODEL_TIMEOUT_MS,
      'EVAL_TIMEOUT_MS is below MODEL_TIMEOUT_MS, so no model gets the whole MODEL_TIMEOUT_MS.',
    ],
    [
      DATABASE_POOL_MAX * WEB_CONCURRENCY > MAX_PLAUSIBLE_CONNECTIONS,
      `DATABASE_POOL_MAX × WEB_CONCURRENCY is ${DATABASE_POOL_MAX * WEB_CONCURRENCY} connections; Postgres allows 100 in total by default.`,
    ],
    [
      isSame(API_KEY_PEPPER, ADMIN_API_KEY),
      'API_KEY_PEPPER is the same as ADMIN_API_KEY; each must be a separate secret.',
    ],
    [
      isSame(METRICS_TOKEN, ADMIN_API_KEY) || isSame(METRICS_TOKEN, API_KEY_PEPPER),
      'METRICS_TOKEN is the same as ADMIN_API_KEY or API_KEY_PEPPER; readers of the metrics would know that secret.',
    ],
    [
      NODE_ENV === 'production' && isElsewhere(DATABASE_URL) && !/[?&]sslmode=/.test(DATABASE_URL),
      'DATABASE_URL has no sslmode: prompts, answers and the password go to the database unencrypted. Add sslmode=verify-full, or sslmode=disable if that is meant.',
    ],
  ];
  return rules.flatMap(([isSo, sentence]) => (isSo ? [sentence] : []));
}

/** True if an address leads to another machine. */
function isElsewhere(address: string): boolean {
  const host = URL.parse(address)?.hostname ?? 'localhost';
  // The host of a socket in the file system is a path.
  return !isThisMachine(host.replace(/[[\]]/g, '').replace(/^%2F/i, '/'));
}
