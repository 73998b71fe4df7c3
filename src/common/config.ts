import { isIP } from 'node:net';
import { z } from 'zod';
import { ConnectionStringError, isSilentlyUnencrypted } from './connection-string';
import { OperatorError } from './operator-error';
import { envFileProblem, type Variables } from './process-environment';

const flag = z.stringbool({ truthy: ['true', '1', 'on', 'yes'], falsy: ['false', '0', 'off', 'no'] });
const secret = z.string().min(16, 'must have at least 16 characters');
const count = (fallback: number) => z.coerce.number().int().positive().default(fallback);
const countOrNone = (fallback: number) => z.coerce.number().int().nonnegative().default(fallback);
const vendorKey = z.string().min(1).optional();
const baseUrl = z.url({ protocol: /^https?$/ }).optional();
const list = z.string().transform((text) => text.split(',').map((item) => item.trim()).filter(Boolean));

// As browsers send it: scheme, host and port, and nothing else.
const isOrigin = (text: string) => /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;

const NAMED_NETWORKS = ['loopback', 'linklocal', 'uniquelocal'];

/** Whether a text names a network of proxies: an address, a CIDR range, or a named range. */
function isNetwork(text: string): boolean {
  const [address = '', prefix] = text.split('/', 2);
  const maxBits = isIP(address) === 6 ? 128 : 32;
  const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) >= 1 && Number(prefix) <= maxBits);
  return NAMED_NETWORKS.includes(text) || (isIP(address) !== 0 && isPrefix && text.split('/').length <= 2);
}

const PROXIES_MESSAGE = 'must be false, the number of proxies in front, or their networks such as 10.0.0.0/8,loopback';
// Numbers before booleans: 1 means one proxy, not "on".
const trustedProxies = z.union([
  z.string().regex(/^[1-9]\d?$/).transform(Number),
  flag,
  list.refine((networks) => networks.length > 0 && networks.every(isNetwork), PROXIES_MESSAGE),
], { error: PROXIES_MESSAGE });

/** The variables of `REQUEST_LIMITS`. */
export const requestLimits = z.object({
  MAX_MODELS: count(8),
  MAX_PROMPT_CHARACTERS: count(32_000),
  MAX_INPUT_CHARACTERS: count(128_000),
  MAX_FILLED_PROMPT_CHARACTERS: count(160_000),
  MAX_OUTPUT_TOKENS: count(16_384),
});

/** Every environment variable the service reads, with its type and default; `.env.example` and docs/configuration.md follow it. */
export const environment = z.object({
  NODE_ENV: z.enum(['development', 'test', 'production']).default('development'),
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(3000),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  LOG_PROMPTS: flag.default(false),
  TRUST_PROXY: trustedProxies.default(false),
  CORS_ORIGINS: list.refine((origins) => origins.every(isOrigin), 'must be origins such as https://app.example.com, separated by commas').default([]),
  HSTS_SECONDS: countOrNone(0),
  PAGE: flag.default(true),
  DRAIN_SECONDS: z.coerce.number().int().min(0).max(3600).optional(),

  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgresql:// address' }),
  DATABASE_POOL_MAX: count(20),
  DATABASE_TIMEOUT_MS: count(5000),
  DATABASE_PREPARE: flag.default(true),
  MIGRATE_ON_START: flag.default(false),

  REDIS_URL: z.url({ protocol: /^rediss?$/, error: 'must be a redis:// or rediss:// address' }).optional(),
  WEB_CONCURRENCY: count(1),
  METRICS_TOKEN: secret.optional(),

  ADMIN_API_KEY: secret,
  API_KEY_PEPPER: secret,
  API_KEY_PEPPER_PREVIOUS: secret.optional(),

  OPENAI_API_KEY: vendorKey,
  OPENAI_BASE_URL: baseUrl,
  ANTHROPIC_API_KEY: vendorKey,
  ANTHROPIC_BASE_URL: baseUrl,
  GEMINI_API_KEY: vendorKey,
  GEMINI_BASE_URL: baseUrl,
  MISTRAL_API_KEY: vendorKey,
  MISTRAL_BASE_URL: baseUrl,
  DEEPSEEK_API_KEY: vendorKey,
  DEEPSEEK_BASE_URL: baseUrl,
  XAI_API_KEY: vendorKey,
  XAI_BASE_URL: baseUrl,
  GROQ_API_KEY: vendorKey,
  GROQ_BASE_URL: baseUrl,
  OPENROUTER_API_KEY: vendorKey,
  OPENROUTER_BASE_URL: baseUrl,
  LOCAL_BASE_URL: baseUrl,
  LOCAL_API_KEY: vendorKey,
  LOCAL_MODELS: list.default([]),
  MODEL_CATALOG_FILE: z.string().min(1).optional(),
  SIMULATOR: flag.optional(),

  MODEL_TIMEOUT_MS: count(60_000),
  EVAL_TIMEOUT_MS: count(90_000),
  MAX_VENDOR_RETRIES: countOrNone(2),
  CHECK_TIMEOUT_MS: count(500),

  ...requestLimits.shape,
  MAX_BODY_BYTES: count(1_048_576),
  MAX_CONCURRENT_COMPARES: count(100),
  MAX_CONCURRENT_RUNS: countOrNone(16),
  MAX_QUEUED_RUNS_PER_USER: count(1000),
  MAX_EVENT_LOOP_DELAY_MS: countOrNone(500),
  REQUEST_TIMEOUT_MS: count(30_000),

  RETENTION_DAYS: z.coerce.number().int().positive().max(10_000).optional(),

  BILLING_MARGIN: z.string().regex(/^\d{1,2}(\.\d{1,6})?$/, 'must be a plain decimal such as 0.4').default('0.4'),
  BILLING_ENFORCEMENT: z.enum(['meter', 'require_payment_method']).default('meter'),
  FREE_EVALS_PER_MONTH: countOrNone(100),
  FREE_MODELS: list.optional(),
  RESERVATION_TTL_SECONDS: count(15),

  STRIPE_SECRET_KEY: z.string().min(1).optional(),
  STRIPE_WEBHOOK_SECRET: z.string().min(1).optional(),
  STRIPE_RETURN_URL: baseUrl,
  STRIPE_METER_EVENT_NAME: z.string().min(1).max(100, 'must have at most 100 characters').default('model_comparison_charge_nano_usd'),
  STRIPE_API_URL: baseUrl,

  RATE_LIMIT_COMPARE_PER_MINUTE: count(300),
  MAX_CONCURRENT_COMPARES_PER_KEY: count(50),
  MAX_SHARES_PER_USER: count(1000),
  RATE_LIMIT_ESTIMATE_PER_MINUTE: count(300),
  RATE_LIMIT_READ_PER_MINUTE: count(1200),
  RATE_LIMIT_AUTH_FAILURES_PER_MINUTE: count(60),
  RATE_LIMIT_SHARED_PER_MINUTE: count(60),

  TEST_CLOCK: z.iso.datetime().optional(),
});

const VENDOR_KEYS = [
  'OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GEMINI_API_KEY', 'MISTRAL_API_KEY', 'DEEPSEEK_API_KEY', 'XAI_API_KEY', 'GROQ_API_KEY', 'OPENROUTER_API_KEY',
] as const;

type Settings = Readonly<z.output<typeof environment>>;

/** A base class with a property for each setting; TypeScript cannot declare properties from a type in the class itself. */
const SettingsBase = class {
  constructor(settings: Settings) {
    Object.assign(this, settings);
  }
} as new (settings: Settings) => Settings;

/** The validated settings of this process, under the names of their environment variables; read once and never changed. A class, so that Nest can inject it by type. */
export class Config extends SettingsBase {
  /** Validates the environment. @throws ConfigError naming each wrong variable, never a value. */
  static read(variables: Variables): Config {
    if (envFileProblem !== undefined) throw new ConfigError([envFileProblem]);
    const parsed = environment.safeParse(variables);
    if (!parsed.success) throw new ConfigError(parsed.error.issues.map((issue) => problemOf(issue, variables)));
    const config = Object.freeze(new Config(parsed.data));
    const problems = [...databaseProblems(config, variables), ...productionProblems(config), ...stripeProblems(config)];
    if (problems.length > 0) throw new ConfigError(problems);
    return config;
  }

  /** Whether simulated models are offered: as set, otherwise only outside production and only while no vendor has a key. */
  get simulatorOn(): boolean {
    return this.SIMULATOR ?? (this.NODE_ENV !== 'production' && !this.hasVendorKey);
  }

  /** How long everything is still served after a stop signal: as set, otherwise 5 s in production, where a load balancer has to notice, and 0 elsewhere. */
  get drainMs(): number {
    return 1000 * (this.DRAIN_SECONDS ?? (this.NODE_ENV === 'production' ? 5 : 0));
  }

  /** How users come to have a payment method. */
  get payments(): 'manual' | 'stripe' {
    return this.STRIPE_SECRET_KEY === undefined ? 'manual' : 'stripe';
  }

  /** Whether at least one real vendor can be called. */
  get hasVendorKey(): boolean {
    return VENDOR_KEYS.some((name) => this[name] !== undefined) || this.LOCAL_MODELS.length > 0;
  }
}

/** The environment is invalid; the message names the variables and what they must be, and never a value. */
export class ConfigError extends OperatorError {
  constructor(problems: readonly string[]) {
    super(`The configuration is not usable:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

function problemOf(issue: z.core.$ZodIssue, variables: Variables): string {
  const name = issue.path.join('.');
  return `${name}: ${variables[name] === undefined ? 'is missing' : expectation(issue)}`;
}

// Zod's own messages may quote the value, which can be a secret.
function expectation(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_value': return `must be one of ${issue.values.join(', ')}`;
    case 'too_small': return issue.origin === 'string' ? issue.message : `must be at least ${issue.minimum}`;
    case 'too_big': return `must be at most ${issue.maximum}`;
    case 'invalid_type': return issue.expected === 'int' ? 'must be a whole number' : `must be a ${issue.expected}`;
    case 'invalid_format':
    case 'invalid_union':
    case 'custom': return issue.message;
    default: return 'is not valid';
  }
}

function* databaseProblems({ DATABASE_URL }: Config, { PGSSLMODE = 'disable' }: Variables): Generator<string> {
  try {
    // Nobody may rely on encryption that this variable does not turn on.
    if (isSilentlyUnencrypted(DATABASE_URL) && /^(require|verify-)/.test(PGSSLMODE)) yield 'PGSSLMODE: is not read; put sslmode into DATABASE_URL';
  } catch (error) {
    if (!(error instanceof ConnectionStringError)) throw error;
    yield `DATABASE_URL: ${error.message}`;
  }
}

function* productionProblems(config: Config): Generator<string> {
  if (config.NODE_ENV !== 'production') return;
  if (config.TEST_CLOCK !== undefined) yield 'TEST_CLOCK: must not be set in production';
  if (config.TRUST_PROXY === true) {
    yield 'TRUST_PROXY: must not be true in production, where callers would choose their own address; set the number of proxies in front, or their networks';
  }
  if (!config.hasVendorKey && config.SIMULATOR !== true) {
    yield `${VENDOR_KEYS.join(', ')}: at least one of these is needed (or LOCAL_MODELS, or SIMULATOR=on)`;
  }
}

function* stripeProblems(config: Config): Generator<string> {
  if (config.payments === 'manual') return;
  for (const name of ['STRIPE_WEBHOOK_SECRET', 'STRIPE_RETURN_URL'] as const) {
    if (config[name] === undefined) yield `${name}: is missing, and needed with STRIPE_SECRET_KEY`;
  }
}
