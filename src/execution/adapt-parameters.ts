import type { ResultWarning } from '../evals/result.entity';
import type { Model } from '../models/catalog';

/** The options of a compare with defaults filled in. */
export interface CompareSettings {
  temperature: number;
  /** False when the temperature is the default; then no warnings about it are given. */
  isTemperatureGiven: boolean;
  maxTokens: number;
}

/** The parameters sent to one model, and a warning for each that differs from the request. */
export interface AppliedParameters {
  temperature: number | undefined;
  maxTokens: number;
  warnings: ResultWarning[];
}

/** Adapts the options to what a model accepts, with a warning instead of an error for each change. */
export function adaptParameters(options: CompareSettings, model: Pick<Model, 'accepts' | 'maxOutputTokens'>): AppliedParameters {
  const warnings: ResultWarning[] = [];
  const temperature = adaptTemperature(options, model.accepts.temperature, warnings);
  const maxTokens = Math.min(options.maxTokens, model.maxOutputTokens ?? options.maxTokens);
  if (maxTokens < options.maxTokens) {
    warnings.push({ code: 'max_tokens_clamped', message: `This model produces at most ${maxTokens} tokens; max_tokens was lowered to that limit.` });
  }
  return { temperature, maxTokens, warnings };
}

function adaptTemperature({ temperature: requested, isTemperatureGiven }: CompareSettings, range: { min: number; max: number } | null, warnings: ResultWarning[]): number | undefined {
  if (range === null) {
    if (isTemperatureGiven) warnings.push({ code: 'temperature_ignored', message: 'This model does not accept a temperature; it was omitted.' });
    return undefined;
  }
  const adapted = Math.min(Math.max(requested, range.min), range.max);
  if (isTemperatureGiven && adapted !== requested) {
    warnings.push({ code: 'temperature_clamped', message: `This model accepts a temperature from ${range.min} to ${range.max}; ${adapted} was sent.` });
  }
  return adapted;
}
