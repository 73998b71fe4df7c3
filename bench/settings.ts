import { join } from 'node:path';

/** Databases, errors of programs and results are kept here. */
export const FOLDER = join(process.cwd(), '.local/bench');

/** Two models of each of four vendors; most compares use the first four. */
export const EIGHT_MODELS = [
  'gpt-4.1-mini',
  'claude-haiku-4-5',
  'gemini-3.5-flash-lite',
  'mistral-small-2603',
  'gpt-5.4-mini',
  'claude-sonnet-4-6',
  'gemini-3.5-flash',
  'ministral-8b-2512',
] as const;
export const MODELS = EIGHT_MODELS.slice(0, 4);

/** The base address of each vendor below the vendor server. */
const VENDOR_BASES = { OPENAI: '/openai/v1', ANTHROPIC: '/anthropic', GEMINI: '/gemini', MISTRAL: '/mistral/v1' };

export const SECRETS = {
  ADMIN_API_KEY: 'bench-operator-key-0123456789',
  API_KEY_PEPPER: 'bench-pepper-0123456789abcdef',
};

/** Settings from the environment; docs/performance.md explains them. */
export const SETTINGS = {
  seconds: numberOf('BENCH_SECONDS', 3),
  rounds: numberOf('BENCH_ROUNDS', 3),
  warmUpSeconds: numberOf('BENCH_WARMUP', 4),
  users: numberOf('BENCH_USERS', 16),
  streams: numberOf('BENCH_STREAMS', 100),
  memoryRequests: numberOf('BENCH_MEMORY_REQUESTS', 100_000),
  before: process.env['BENCH_BEFORE'],
  growthSizes: (process.env['BENCH_GROWTH_SIZES'] ?? '1000,100000,1000000').split(',').map(Number),
};

/**
 * The environment of the service: every vendor at the vendor server, and no rate limit in the way.
 * `BENCH_SERVICE_<NAME>` sets any other variable.
 */
export function serviceVariables(databaseUrl: string, vendorUrl: string): Record<string, string> {
  const vendors = Object.entries(VENDOR_BASES).flatMap(([vendor, path]) => [
    [`${vendor}_BASE_URL`, vendorUrl + path],
    [`${vendor}_API_KEY`, `bench-${vendor}`],
  ]);
  const given = Object.entries(process.env).flatMap(([name, value]) =>
    name.startsWith('BENCH_SERVICE_') ? [[name.slice('BENCH_SERVICE_'.length), value]] : [],
  );
  return {
    NODE_ENV: 'production',
    DRAIN_SECONDS: '0',
    LOG_LEVEL: 'info',
    DATABASE_URL: databaseUrl,
    FREE_MODELS: EIGHT_MODELS.join(','),
    ...SECRETS,
    RATE_LIMIT_COMPARE_PER_MINUTE: '1000000000',
    MAX_CONCURRENT_COMPARES_PER_KEY: '100000',
    RATE_LIMIT_READ_PER_MINUTE: '1000000000',
    MAX_CONCURRENT_COMPARES: '100000',
    ...(Object.fromEntries([...vendors, ...given]) as Record<string, string>),
  };
}

function numberOf(name: string, fallback: number): number {
  const value = Number(process.env[name] ?? fallback);
  if (!Number.isFinite(value) || value < 0) throw new Error(`${name} must be a number.`);
  return value;
}

export function say(line = ''): void {
  process.stdout.write(`${line}\n`);
}
