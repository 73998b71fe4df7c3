import type { Variables } from './process-environment';

/** Secrets of OpenTelemetry that can also be read from files. */
export const TELEMETRY_SECRETS = ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS'];

/** The variables of OpenTelemetry that turn traces on or off. Its SDK reads and checks them and all others itself. */
export const TELEMETRY_SWITCHES = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_TRACES_EXPORTER',
  'OTEL_SDK_DISABLED',
];

/** True if spans are recorded and sent: an exporter or a collector is named, and the SDK is not turned off. */
export function areTracesOn(variables: Variables): boolean {
  const [endpoint, tracesEndpoint, exporter, isDisabled] = TELEMETRY_SWITCHES.map((name) => variables[name]);
  if (isDisabled?.trim().toLowerCase() === 'true' || exporter?.trim() === 'none') return false;
  return (exporter ?? endpoint ?? tracesEndpoint) !== undefined;
}

/** The variables of OpenTelemetry among these. */
export function telemetryVariables(variables: Variables): Variables {
  return Object.fromEntries(
    Object.entries(variables).filter(([name, value]) => name.startsWith('OTEL_') && value !== undefined),
  );
}
