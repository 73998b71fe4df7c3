import { isIP } from 'node:net';
import { z } from 'zod';

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

/** What the variables say, once they are valid. */
export type Settings = Readonly<z.output<typeof environment>>;
