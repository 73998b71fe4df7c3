import { isIP } from 'node:net';
import { z } from 'zod';
import { DAY_MS } from '../../common/clock';
import { addressProblem, STRAY_PERCENT } from './connection-string';

const flag = z.stringbool({ truthy: ['true', '1', 'on', 'yes'], falsy: ['false', '0', 'off', 'no'] });
const secret = z.string().min(16, 'must have at least 16 characters');
// Callers send it in a header, where nothing else would ever match.
const sentSecret = secret.regex(
  /^[!-~]+$/,
  'must consist of ASCII letters, digits and signs, without blanks and line ends; callers could not send it otherwise',
);
// `Number` alone would take a blank for 0, and 0x10 for 16.
const number = z
  .string()
  .trim()
  .refine((text) => text !== '' && Number.isFinite(Number(text)), 'must be a number')
  .regex(/^-?\d+(\.\d+)?$/, 'must be written in digits')
  .transform(Number);
const whole = (min: number, max: number) => number.pipe(z.number().int().min(min).max(max));
const count = (fallback: number, max = Number.MAX_SAFE_INTEGER) => whole(1, max).default(fallback);
const countOrNone = (fallback: number) => whole(0, Number.MAX_SAFE_INTEGER).default(fallback);
// Node's timers end at 24 days, and fire at once when they are set for longer.
const milliseconds = (fallback: number) => count(fallback, DAY_MS);
// As fetch sends it, which leaves out blanks and line ends around it.
const vendorKey = z
  .string()
  .min(1)
  .regex(/^\s*[ -~]+\s*$/, 'must be one line of ASCII letters, digits and signs; it could not be sent otherwise')
  .optional();
const withoutScheme = /^[\w.-]+(:\d+)?(\/|$)/;
const webAddress = z
  .url({
    protocol: /^https?$/,
    error: ({ input }) =>
      withoutScheme.test(String(input))
        ? 'must begin with https:// (or http://)'
        : 'must be an http:// or https:// address',
  })
  .optional();
const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
);

// As browsers send it: scheme, host and port, and nothing else.
const isOrigin = (text: string) => /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;

const NAMED_NETWORKS = ['loopback', 'linklocal', 'uniquelocal'];

/** True if a text names a network of proxies: an address, a CIDR range, or a named range. */
function isNetwork(text: string): boolean {
  const [address = '', prefix] = text.split('/', 2);
  const maxBits = isIP(address) === 6 ? 128 : 32;
  const isPrefix =
    prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) >= 1 && Number(prefix) <= maxBits);
  return NAMED_NETWORKS.includes(text) || (isIP(address) !== 0 && isPrefix && text.split('/').length <= 2);
}

const PROXIES_MESSAGE = 'must be false, the number of proxies in front, or their networks such as 10.0.0.0/8,loopback';
// Numbers before booleans: 1 means one proxy, not "on".
const trustedProxies = z.union(
  [
    z
      .string()
      .regex(/^[1-9]\d?$/)
      .transform(Number),
    flag,
    list.refine((networks) => networks.length > 0 && networks.every(isNetwork), PROXIES_MESSAGE),
  ],
  { error: PROXIES_MESSAGE },
);

/** The variables of `REQUEST_LIMITS`. */
export const requestLimits = z.object({
  MAX_MODELS: count(8),
  MAX_PROMPT_CHARACTERS: count(32_000),
  MAX_INPUT_CHARACTERS: count(128_000),
  MAX_OUTPUT_TOKENS: count(16_384),
});

/**
 * Every environment variable the service reads, with its type and default; `.env.example` and docs/configuration.md
 * follow it.
 */
export const environment = z.object({
  NODE_ENV: z.enum(['development', 'test', 'production']).default('development'),
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: whole(0, 65_535).default(3000),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  LOG_PROMPTS: flag.default(false),
  TRUST_PROXY: trustedProxies.default(false),
  CORS_ORIGINS: list
    .refine(
      (origins) => origins.every(isOrigin),
      'must be origins such as https://app.example.com, separated by commas',
    )
    .default([]),
  PAGE: flag.default(true),
  MCP: flag.default(true),
  MCP_MAX_COST_USD: number.pipe(z.number().min(0).max(1_000_000)).default(0.1),
  DRAIN_SECONDS: whole(0, 3600).optional(),

  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: ({ input }) => addressProblem(input) }),
  DATABASE_POOL_MAX: count(20),
  DATABASE_TIMEOUT_MS: milliseconds(5000),
  DATABASE_PREPARE: flag.default(true),
  MIGRATE_ON_START: flag.default(false),

  REDIS_URL: z
    .url('must be a redis:// or rediss:// address')
    .regex(/^rediss?:\/\//, 'must be a redis:// or rediss:// address')
    .refine((text) => !/%(?![\da-f]{2})/i.test(text), STRAY_PERCENT)
    .refine(
      (text) => /^\/?\d*$/.test(URL.parse(text)?.pathname ?? ''),
      'must end with its port, or with the number of a database such as /0',
    )
    .optional(),
  WEB_CONCURRENCY: count(1, 1024),
  METRICS_TOKEN: sentSecret.optional(),

  OTEL_PROPAGATE_TO_VENDORS: flag.default(false),

  ADMIN_API_KEY: sentSecret,
  API_KEY_PEPPER: secret,
  API_KEY_PEPPER_PREVIOUS: secret.optional(),

  OPENAI_API_KEY: vendorKey,
  OPENAI_BASE_URL: webAddress,
  ANTHROPIC_API_KEY: vendorKey,
  ANTHROPIC_BASE_URL: webAddress,
  GEMINI_API_KEY: vendorKey,
  GEMINI_BASE_URL: webAddress,
  MISTRAL_API_KEY: vendorKey,
  MISTRAL_BASE_URL: webAddress,
  DEEPSEEK_API_KEY: vendorKey,
  DEEPSEEK_BASE_URL: webAddress,
  XAI_API_KEY: vendorKey,
  XAI_BASE_URL: webAddress,
  GROQ_API_KEY: vendorKey,
  GROQ_BASE_URL: webAddress,
  OPENROUTER_API_KEY: vendorKey,
  OPENROUTER_BASE_URL: webAddress,
  LOCAL_BASE_URL: webAddress,
  LOCAL_API_KEY: vendorKey,
  LOCAL_MODELS: list.default([]),
  MODEL_CATALOG_FILE: z.string().min(1).optional(),
  SIMULATOR: flag.optional(),

  MODEL_TIMEOUT_MS: milliseconds(60_000),
  EVAL_TIMEOUT_MS: milliseconds(90_000),
  MAX_VENDOR_RETRIES: countOrNone(2),

  ...requestLimits.shape,
  MAX_CONCURRENT_COMPARES: count(100),
  MAX_CONCURRENT_RUNS: countOrNone(16),
  EXPERIMENT_MAX_CALLS: count(100_000),
  MAX_EVENT_LOOP_DELAY_MS: countOrNone(500),

  DATASET_MAX_BYTES: count(67_108_864, 1_073_741_824),
  DATASET_MAX_ROWS: count(10_000, 100_000),

  RETENTION_DAYS: whole(1, 10_000).optional(),

  BILLING_MARGIN: z
    .string()
    .regex(/^\d{1,2}(\.\d{1,6})?$/, 'must be a plain decimal such as 0.4')
    .refine((text) => Number(text) <= 5, 'must be at most 5, which charges six times the cost; 0.4 means 40 percent')
    .default('0.4'),
  BILLING_ENFORCEMENT: z.enum(['meter', 'require_payment_method']).default('meter'),
  FREE_EVALS_PER_MONTH: countOrNone(100),
  FREE_MODELS: list.optional(),
  RESERVATION_TTL_SECONDS: count(15, 86_400),

  STRIPE_SECRET_KEY: vendorKey,
  STRIPE_WEBHOOK_SECRET: z.string().min(1).optional(),
  STRIPE_RETURN_URL: webAddress,

  RATE_LIMIT_COMPARE_PER_MINUTE: count(300),
  MAX_CONCURRENT_COMPARES_PER_KEY: count(50),
  RATE_LIMIT_READ_PER_MINUTE: count(1200),
  RATE_LIMIT_AUTH_FAILURES_PER_MINUTE: count(60),
});

/** The values of valid variables. */
export type Settings = Readonly<z.output<typeof environment>>;
