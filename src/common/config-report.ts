import { distance } from 'fastest-levenshtein';
import { examine } from './config';
import { environment, type Settings } from './environment';
import type { Variables } from './process-environment';
import { isSecretSetting } from './redaction';
import { FILE_SETTINGS, isGiven, readSettingFiles } from './setting-files';

/** One setting as this process would read it. */
export interface SettingReport {
  name: string;
  source: 'default' | 'environment' | 'file';
  /** As it is written; `set` instead of a secret, null where there is none. */
  value: string | null;
}

/** All settings, without connecting anywhere. */
export interface ConfigReport {
  settings: SettingReport[];
  /** Why the service would not start with them. */
  problems: string[];
  /** Variables that are not read but look like some that are. */
  unknown: { name: string; similar: string }[];
}

/** What is made up outside production where it is not given, as the start does. */
const GENERATED: Readonly<Record<string, string>> = { DATABASE_URL: 'postgresql://localhost/embedded', ADMIN_API_KEY: 'generated-at-start', API_KEY_PEPPER: 'generated-at-start' };

/** Variables of OpenTelemetry that its SDK reads itself. */
const OTHER_OTEL_VARIABLES = [
  'OTEL_BSP_SCHEDULE_DELAY', 'OTEL_BSP_EXPORT_TIMEOUT', 'OTEL_BSP_MAX_QUEUE_SIZE', 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE',
  'OTEL_EXPORTER_OTLP_TIMEOUT', 'OTEL_EXPORTER_OTLP_COMPRESSION', 'OTEL_EXPORTER_OTLP_CERTIFICATE', 'OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE', 'OTEL_EXPORTER_OTLP_CLIENT_KEY', 'OTEL_EXPORTER_OTLP_INSECURE',
  'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_TRACES_TIMEOUT', 'OTEL_EXPORTER_OTLP_TRACES_COMPRESSION',
  'OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE', 'OTEL_EXPORTER_OTLP_TRACES_CLIENT_CERTIFICATE', 'OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY', 'OTEL_EXPORTER_OTLP_TRACES_INSECURE',
  'OTEL_EXPORTER_ZIPKIN_ENDPOINT', 'OTEL_PROPAGATORS', 'OTEL_NODE_RESOURCE_DETECTORS', 'OTEL_LOG_LEVEL', 'OTEL_METRICS_EXPORTER', 'OTEL_LOGS_EXPORTER',
  'OTEL_ATTRIBUTE_COUNT_LIMIT', 'OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT', 'OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT', 'OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT',
];

/** What the service would read from these variables, with further problems of those settings that are valid. */
export function reportOf(variables: Variables, furtherProblems: (settings: Partial<Settings>) => string[] = () => []): ConfigReport {
  const { variables: values, fromFile } = readSettingFiles(variables);
  const isGenerated = (name: string) => values['NODE_ENV'] !== 'production' && !isGiven(name, values) && name in GENERATED;
  const generated = Object.fromEntries(Object.entries(GENERATED).filter(([name]) => isGenerated(name)));
  const names = Object.keys(environment.shape) as (keyof typeof environment.shape)[];
  const settings = names.map((name): SettingReport => {
    if (values[name] === undefined) return { name, source: 'default', value: isGenerated(name) ? 'generated at the first start' : defaultOf(name) };
    return { name, source: fromFile.has(name) ? 'file' : 'environment', value: isSecretSetting(name, values[name]) ? 'set' : values[name] };
  });
  const examined = examine({ ...values, ...generated });
  return { settings, problems: [...examined.problems, ...furtherProblems(examined.settings)], unknown: unknownIn(variables, names) };
}

function defaultOf(name: keyof typeof environment.shape): string | null {
  const { data } = environment.shape[name].safeParse(undefined);
  return data === undefined || (Array.isArray(data) && data.length === 0) ? null : String(data);
}

function unknownIn(variables: Variables, names: readonly string[]): ConfigReport['unknown'] {
  const known = [...names, ...FILE_SETTINGS.map((name) => `${name}_FILE`), ...OTHER_OTEL_VARIABLES];
  return Object.keys(variables).filter((name) => !known.includes(name)).sort().flatMap((name) => {
    const similar = names.find((one) => name === `${one}_FILE`) ?? known.find((one) => isMistyped(name, one));
    return similar === undefined ? [] : [{ name, similar }];
  });
}

/** One or two letters off; names as short as PORT have too many neighbors that mean something else. */
function isMistyped(name: string, known: string): boolean {
  return known.length >= 8 && distance(name.toUpperCase(), known) <= 2;
}
