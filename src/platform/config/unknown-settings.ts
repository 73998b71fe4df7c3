import { distance } from 'fastest-levenshtein';
import { environment } from './environment';
import type { Variables } from './process-environment';
import { FILE_SETTINGS } from './setting-files';
import { TELEMETRY_SECRETS, TELEMETRY_SWITCHES } from './telemetry';

/** Names of version 0.1.0. */
const RENAMED: Readonly<Record<string, string>> = {
  COMPARE_PARALLEL: 'MAX_CONCURRENT_COMPARES_PER_KEY',
  MAX_RUNNING_COMPARES: 'MAX_CONCURRENT_COMPARES',
  RESERVATION_SECONDS: 'RESERVATION_TTL_SECONDS',
  DATABASE_POOL: 'DATABASE_POOL_MAX',
  COMPARE_RATE_PER_MINUTE: 'RATE_LIMIT_COMPARE_PER_MINUTE',
  ESTIMATE_RATE_PER_MINUTE: 'RATE_LIMIT_COMPARE_PER_MINUTE',
  READ_RATE_PER_MINUTE: 'RATE_LIMIT_READ_PER_MINUTE',
  FAILED_AUTH_PER_MINUTE: 'RATE_LIMIT_AUTH_FAILURES_PER_MINUTE',
  // eslint-disable-next-line local/plain-words -- it was spelled so
  MODEL_CATALOGUE: 'MODEL_CATALOG_FILE',
  FREE_QUOTA: 'FREE_EVALS_PER_MONTH',
};

/** Settings of version 0.2.0 that no longer exist, with what takes their place. */
const REMOVED: Readonly<Record<string, string>> = {
  METRICS_PORT: '/metrics and /health are on PORT',
  HSTS_SECONDS: 'the proxy that ends TLS has to send Strict-Transport-Security',
  MAX_FILLED_PROMPT_CHARACTERS: 'it is MAX_PROMPT_CHARACTERS and MAX_INPUT_CHARACTERS together',
  MAX_BODY_BYTES: 'it follows from MAX_PROMPT_CHARACTERS and MAX_INPUT_CHARACTERS',
  CHECK_TIMEOUT_MS: 'it is 500 now',
  REQUEST_TIMEOUT_MS: 'it is 30000 now, or EVAL_TIMEOUT_MS where that is shorter',
  MAX_SHARES_PER_USER: 'it is 1000 now',
  MAX_QUEUED_RUNS_PER_USER: 'it is 1000 now',
  RATE_LIMIT_ESTIMATE_PER_MINUTE: 'RATE_LIMIT_COMPARE_PER_MINUTE limits estimates and checks as well',
  RATE_LIMIT_SHARED_PER_MINUTE: 'RATE_LIMIT_AUTH_FAILURES_PER_MINUTE limits views of share links as well',
  STRIPE_METER_EVENT_NAME: 'it is model_comparison_charge_nano_usd now',
  STRIPE_API_URL: 'Stripe is always asked at its own address',
};

/** A sentence about each variable that was a setting and no longer is. */
export function removedIn(variables: Variables): string[] {
  return Object.keys(REMOVED)
    .filter((name) => variables[name] !== undefined || variables[`${name}_FILE`] !== undefined)
    .map((name) => `${name} no longer exists; ${REMOVED[name]}.`);
}

/** The variables that are not read and look like settings, or were some. */
export function unknownIn(variables: Variables): { name: string; similar: string; sentence: string }[] {
  const names = Object.keys(environment.shape);
  const known = [...names, ...FILE_SETTINGS.map((name) => `${name}_FILE`), ...TELEMETRY_SWITCHES, ...TELEMETRY_SECRETS];
  return Object.keys(variables)
    .filter((name) => !known.includes(name) && !(name in REMOVED))
    .sort()
    .flatMap((name) => {
      const similar =
        RENAMED[name] ?? names.find((one) => name === `${one}_FILE`) ?? known.find((one) => isMistyped(name, one));
      return similar === undefined
        ? []
        : [
            {
              name,
              similar,
              sentence:
                name in RENAMED
                  ? `${name} is not read since version 0.2.0; it is ${similar} now.`
                  : `${name} is not read. Is ${similar} meant?`,
            },
          ];
    });
}

/** One or two letters off; names as short as PORT have too many neighbors that mean something else. */
function isMistyped(name: string, known: string): boolean {
  return known.length >= 8 && distance(name.toUpperCase(), known) <= 2;
}
