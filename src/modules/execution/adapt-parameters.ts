import type { Effort } from '../../common/effort';
import type { ModelArm } from '../../common/model-arm';
import type { ResultWarning } from '../evals/result.entity';
import type { Model } from '../models/catalog';
import type { ResponseFormat } from '../../common/response-format';
import { adaptEffort, fixesTemperature } from './adapt-effort';
import { adaptFormat } from './adapt-format';
import { limitOutput, type OutputLimit, type OutputSettings } from './limit-output';

/** The temperature if the caller sets none. */
export const DEFAULT_TEMPERATURE = 0.7;

/** The options of a compare with defaults filled in. */
export interface CompareSettings extends OutputSettings {
  temperature: number;
  /** False when the temperature is the default; then no warnings about it are given. */
  isTemperatureGiven: boolean;
}

/** The parameters sent to one model, and a warning for each that differs from the request. */
export interface AppliedParameters extends OutputLimit {
  temperature: number | undefined;
  /** Undefined where the vendor decides. */
  reasoningEffort?: Effort | undefined;
  responseFormat?: ResponseFormat | undefined;
  warnings: ResultWarning[];
}

/**
 * Adapts the options to what a model accepts, with a warning instead of an error for each change. The effort of an arm
 * holds before that of the options.
 */
export function adaptParameters(
  options: CompareSettings,
  model: Pick<Model, 'accepts' | 'maxOutputTokens' | 'reasoning' | 'dialect' | 'vendor'>,
  arm?: ModelArm,
): AppliedParameters {
  const warnings: ResultWarning[] = [];
  const asked = arm?.effort ?? options.extra?.reasoning_effort;
  const reasoningEffort = asked && adaptEffort(asked, options, model, warnings);
  const temperature =
    reasoningEffort !== undefined && fixesTemperature(reasoningEffort, model)
      ? adaptTemperature(options, null, warnings, ' while it thinks')
      : adaptTemperature(options, model.accepts.temperature, warnings);
  const format = options.extra?.response_format;
  const responseFormat = format && adaptFormat(format, model, warnings);
  return {
    temperature,
    reasoningEffort,
    responseFormat,
    ...limitOutput(options, model, reasoningEffort, warnings),
    warnings,
  };
}

function adaptTemperature(
  { temperature: requested, isTemperatureGiven }: CompareSettings,
  range: { min: number; max: number } | null,
  warnings: ResultWarning[],
  when = '',
): number | undefined {
  if (range === null) {
    if (isTemperatureGiven)
      warnings.push({
        code: 'temperature_ignored',
        message: `This model does not accept a temperature${when}; it was omitted.`,
      });
    return undefined;
  }
  const adapted = Math.min(Math.max(requested, range.min), range.max);
  if (isTemperatureGiven && adapted !== requested) {
    warnings.push({
      code: 'temperature_clamped',
      message: `This model accepts a temperature from ${range.min} to ${range.max}; ${adapted} was sent.`,
    });
  }
  return adapted;
}
