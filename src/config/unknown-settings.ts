import { distance } from 'fastest-levenshtein';
import { environment } from './environment';
import type { Variables } from './process-environment';
import { FILE_SETTINGS } from './setting-files';

/** Names of version 0.1.0. */
const RENAMED: Readonly<Record<string, string>> = {
  COMPARE_PARALLEL: 'MAX_CONCURRENT_COMPARES_PER_KEY', MAX_RUNNING_COMPARES: 'MAX_CONCURRENT_COMPARES', RESERVATION_SECONDS: 'RESERVATION_TTL_SECONDS', DATABASE_POOL: 'DATABASE_POOL_MAX',
  COMPARE_RATE_PER_MINUTE: 'RATE_LIMIT_COMPARE_PER_MINUTE', ESTIMATE_RATE_PER_MINUTE: 'RATE_LIMIT_ESTIMATE_PER_MINUTE', READ_RATE_PER_MINUTE: 'RATE_LIMIT_READ_PER_MINUTE',
  // eslint-disable-next-line local/plain-words -- it was spelled so
  FAILED_AUTH_PER_MINUTE: 'RATE_LIMIT_AUTH_FAILURES_PER_MINUTE', MODEL_CATALOGUE: 'MODEL_CATALOG_FILE', FREE_QUOTA: 'FREE_EVALS_PER_MONTH',
};

/** Variables of OpenTelemetry that its SDK reads itself. */
const OTHER_OTEL_VARIABLES = [
  'OTEL_BSP_SCHEDULE_DELAY', 'OTEL_BSP_EXPORT_TIMEOUT', 'OTEL_BSP_MAX_QUEUE_SIZE', 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE',
  'OTEL_EXPORTER_OTLP_TIMEOUT', 'OTEL_EXPORTER_OTLP_COMPRESSION', 'OTEL_EXPORTER_OTLP_CERTIFICATE', 'OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE', 'OTEL_EXPORTER_OTLP_CLIENT_KEY', 'OTEL_EXPORTER_OTLP_INSECURE',
  'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_TRACES_TIMEOUT', 'OTEL_EXPORTER_OTLP_TRACES_COMPRESSION',
  'OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE', 'OTEL_EXPORTER_OTLP_TRACES_CLIENT_CERTIFICATE', 'OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY', 'OTEL_EXPORTER_OTLP_TRACES_INSECURE',
  'OTEL_EXPORTER_ZIPKIN_ENDPOINT', 'OTEL_PROPAGATORS', 'OTEL_NODE_RESOURCE_DETECTORS', 'OTEL_LOG_LEVEL', 'OTEL_METRICS_EXPORTER', 'OTEL_LOGS_EXPORTER',
  'OTEL_ATTRIBUTE_COUNT_LIMIT', 'OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT', 'OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT', 'OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT',
];

/** The variables that are not read and look like settings, or were some. */
export function unknownIn(variables: Variables): { name: string; similar: string; sentence: string }[] {
  const names = Object.keys(environment.shape);
  const known = [...names, ...FILE_SETTINGS.map((name) => `${name}_FILE`), ...OTHER_OTEL_VARIABLES];
  return Object.keys(variables).filter((name) => !known.includes(name)).sort().flatMap((name) => {
    const similar = RENAMED[name] ?? names.find((one) => name === `${one}_FILE`) ?? known.find((one) => isMistyped(name, one));
    return similar === undefined ? [] : [{ name, similar, sentence: name in RENAMED ? `${name} is not read since version 0.2.0; it is ${similar} now.` : `${name} is not read. Is ${similar} meant?` }];
  });
}

/** One or two letters off; names as short as PORT have too many neighbors that mean something else. */
function isMistyped(name: string, known: string): boolean {
  return known.length >= 8 && distance(name.toUpperCase(), known) <= 2;
}
