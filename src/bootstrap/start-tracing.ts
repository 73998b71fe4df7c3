import { diag, DiagLogLevel } from '@opentelemetry/api';
import type { Config } from '../config/config';
import { createLogger } from '../observability/logger';
import { addEnvironmentVariables, environmentVariables } from '../config/process-environment';
import { version } from '../common/version';
import { withTimeout } from '../common/with-timeout';
import { TelemetryLog } from './telemetry-log';

const SERVICE_NAME = 'model-comparison-service';

/** How long the last spans of a process that stops may take to be sent. */
const FLUSH_TIMEOUT_MS = 2000;

/** Loads the SDK of OpenTelemetry, with the standard OTEL_ variables, and begins to record spans; loads nothing if traces are off. Returns a function that sends the last spans. */
export async function startTracing(config: Config): Promise<() => Promise<void>> {
  if (!config.tracesOn) return async () => undefined;
  addEnvironmentVariables(sdkVariables(config));
  const log = new TelemetryLog(createLogger(config.LOG_LEVEL, config.LOG_PROMPTS));
  const { NodeSDK } = await import('@opentelemetry/sdk-node');
  const sdk = new NodeSDK();
  // Afterwards, because with OTEL_LOG_LEVEL it would print its own lines to the console.
  diag.setLogger(log, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  sdk.start();
  return () => withTimeout(FLUSH_TIMEOUT_MS, sdk.shutdown()).catch(() => undefined);
}

/** Settings of the SDK that are not in the environment: values from files, and changed defaults. */
function sdkVariables(config: Config): Record<string, string | undefined> {
  const { OTEL_PROPAGATORS = 'tracecontext', OTEL_NODE_RESOURCE_DETECTORS = 'host,serviceinstance,env' } = environmentVariables();
  const isNamed = /(^|,)\s*service\.name\s*=/.test(config.OTEL_RESOURCE_ATTRIBUTES ?? '');
  return {
    OTEL_METRICS_EXPORTER: 'none',
    OTEL_LOGS_EXPORTER: 'none',
    // Baggage is chosen by the caller and never read here.
    OTEL_PROPAGATORS,
    // Without the command line, paths and user of the process.
    OTEL_NODE_RESOURCE_DETECTORS,
    // The last of a name counts: operators may set another version.
    OTEL_RESOURCE_ATTRIBUTES: [`service.version=${version}`, ...(config.OTEL_RESOURCE_ATTRIBUTES === undefined ? [] : [config.OTEL_RESOURCE_ATTRIBUTES])].join(','),
    OTEL_SERVICE_NAME: config.OTEL_SERVICE_NAME ?? (isNamed ? undefined : SERVICE_NAME),
    OTEL_TRACES_SAMPLER: config.OTEL_TRACES_SAMPLER,
    OTEL_TRACES_SAMPLER_ARG: config.OTEL_TRACES_SAMPLER_ARG,
    OTEL_EXPORTER_OTLP_HEADERS: config.OTEL_EXPORTER_OTLP_HEADERS,
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: config.OTEL_EXPORTER_OTLP_TRACES_HEADERS,
  };
}
