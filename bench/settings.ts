import { join } from 'node:path';

/** Where everything of a benchmark is kept: databases, profiles, results. */
export const FOLDER = join(process.cwd(), '.local/bench');

/** The four models of a compare, one for each of four vendors, with the base address of each vendor below the vendor server. */
export const MODELS = ['gpt-4.1-mini', 'claude-haiku-4-5', 'gemini-3.5-flash-lite', 'mistral-small-2603'] as const;

/** Two models of each vendor. */
export const EIGHT_MODELS = [...MODELS, 'gpt-5.4-mini', 'claude-sonnet-4-6', 'gemini-3.5-flash', 'ministral-8b-2512'] as const;

const VENDOR_BASES = { OPENAI: '/openai/v1', ANTHROPIC: '/anthropic', GEMINI: '/gemini', MISTRAL: '/mistral/v1' };

/** Not secret at all. */
export const SECRETS = { ADMIN_API_KEY: 'bench-operator-key-0123456789', API_KEY_PEPPER: 'bench-pepper-0123456789abcdef' };

/** Settings from the environment. */
export const SETTINGS = {
  /** Seconds of one measurement. */
  seconds: numberOf('BENCH_SECONDS', 3),
  /** How often service and yardstick take turns. */
  rounds: numberOf('BENCH_ROUNDS', 3),
  /** Seconds of load before the first measurement of a scenario, not counted. */
  warmUpSeconds: numberOf('BENCH_WARMUP', 4),
  /** Users among whom the compares are spread; with 1, all of them wait for the lock of one month. */
  users: numberOf('BENCH_USERS', 16),
  readParallel: numberOf('BENCH_READ_PARALLEL', 16),
  /** Parallel compares whose vendors send their events singly. */
  streams: numberOf('BENCH_STREAMS', 200),
  /** Streams that are open at once when their memory is measured. */
  openStreams: numberOf('BENCH_OPEN_STREAMS', 500),
  /** Evals of the user with a large past. */
  pastEvals: numberOf('BENCH_PAST_EVALS', 60_000),
  /** Requests after which memory is looked at. */
  memoryRequests: numberOf('BENCH_MEMORY_REQUESTS', 100_000),
  /** Also minutes of load with the heap looked at. */
  soak: process.env['BENCH_SOAK'] === '1',
  soakSeconds: numberOf('BENCH_SOAK_SECONDS', 600),
  /** Instead of measuring, profiles the service in every scenario and names the functions that take its time. */
  profile: process.env['BENCH_PROFILE'] === '1',
  /** `main.js` of another built version, which takes turns with this one where traces are measured. */
  before: process.env['BENCH_BEFORE'],
  growthSizes: (process.env['BENCH_GROWTH_SIZES'] ?? '1000,100000,1000000').split(',').map(Number),
};

/** The environment of the service, as a bench wants it: every vendor at the vendor server, and no rate limit in the way. */
export function serviceVariables(databaseUrl: string, vendorUrl: string): Record<string, string> {
  const vendors = Object.entries(VENDOR_BASES).flatMap(([vendor, path]) => [[`${vendor}_BASE_URL`, vendorUrl + path], [`${vendor}_API_KEY`, `bench-${vendor}`]]);
  return {
    NODE_ENV: 'production', DRAIN_SECONDS: '0', LOG_LEVEL: 'info', DATABASE_URL: databaseUrl, FREE_MODELS: EIGHT_MODELS.join(','), ...SECRETS, ...Object.fromEntries(vendors) as Record<string, string>,
    RATE_LIMIT_COMPARE_PER_MINUTE: '1000000000', MAX_CONCURRENT_COMPARES_PER_KEY: '100000', RATE_LIMIT_READ_PER_MINUTE: '1000000000', MAX_CONCURRENT_COMPARES: '100000', ...passedOn(),
  };
}

/** Any variable of the service as `BENCH_SERVICE_<NAME>`, to try a setting out. */
function passedOn(): Record<string, string> {
  const prefix = 'BENCH_SERVICE_';
  return Object.fromEntries(Object.entries(process.env).flatMap(([name, value]) => (name.startsWith(prefix) && value !== undefined ? [[name.slice(prefix.length), value]] : [])));
}

/** True if the name of a scenario or part contains one of the words of BENCH_ONLY. */
export function isWanted(name: string): boolean {
  return (process.env['BENCH_ONLY'] ?? '').split(',').some((word) => name.includes(word));
}

function numberOf(name: string, fallback: number): number {
  const value = Number(process.env[name] ?? fallback);
  if (!Number.isFinite(value) || value < 0) throw new Error(`${name} must be a number.`);
  return value;
}

/** A line for the person at the terminal. */
export function say(line = ''): void {
  process.stdout.write(`${line}\n`);
}
