import { diag, DiagLogLevel } from '@opentelemetry/api';
import type { Config } from '../platform/config/config';
import { createLogger } from '../platform/observability/logger';
import { addEnvironmentVariables, type Variables } from '../platform/config/process-environment';
import { version } from '../common/version';
import { withTimeout } from '../common/with-timeout';
import { TelemetryLog } from './telemetry-log';

const SERVICE_NAME = 'model-comparison-service';

/** How long the last spans of a process that stops may take to be sent. */
const FLUSH_TIMEOUT_MS = 2000;

/**
 * Loads the SDK of OpenTelemetry, with the standard OTEL_ variables, which it checks itself, and begins to record
 * spans; loads nothing if traces are off. Returns a function that sends the last spans.
 */
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

/** The variables of the SDK: those of this process, values from files included, with other defaults than its own. */
function sdkVariables({ telemetry }: Config): Variables {
  return {
    // Baggage is chosen by the caller and never read here.
    OTEL_PROPAGATORS: 'tracecontext',
    // Without the command line, paths and user of the process.
    OTEL_NODE_RESOURCE_DETECTORS: 'host,serviceinstance,env',
    ...telemetry,
    OTEL_METRICS_EXPORTER: 'none',
    OTEL_LOGS_EXPORTER: 'none',
    // The last of a name counts: operators may set another name or version.
    OTEL_RESOURCE_ATTRIBUTES: [
      `service.name=${SERVICE_NAME},service.version=${version}`,
      telemetry['OTEL_RESOURCE_ATTRIBUTES'] ?? [],
    ]
      .flat()
      .join(','),
  };
}
