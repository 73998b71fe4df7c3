import type { ResultWarning } from '../evals/result.entity';
import type { Model } from '../models/catalog';

/** The options of a compare, defaults filled in. */
export interface CompareSettings {
  temperature: number;
  /** False when the temperature is the default: then no model owes the caller a word about it. */
  isTemperatureGiven: boolean;
  maxTokens: number;
}

/** The parameters that are really sent to one model, and a warning for each that differs from what was asked. */
export interface AppliedParameters {
  temperature: number | undefined;
  maxTokens: number;
  warnings: ResultWarning[];
}

/** Fits the options to what a model takes: never a failed call, always a word about it. */
export function adaptParameters(options: CompareSettings, model: Pick<Model, 'accepts' | 'maxOutputTokens'>): AppliedParameters {
  const warnings: ResultWarning[] = [];
  const temperature = fittingTemperature(options, model.accepts.temperature, warnings);
  const maxTokens = Math.min(options.maxTokens, model.maxOutputTokens ?? options.maxTokens);
  if (maxTokens < options.maxTokens) {
    warnings.push({ code: 'max_tokens_clamped', message: `This model produces at most ${maxTokens} tokens; max_tokens was lowered to that.` });
  }
  return { temperature, maxTokens, warnings };
}

function fittingTemperature({ temperature: asked, isTemperatureGiven }: CompareSettings, range: { min: number; max: number } | null, warnings: ResultWarning[]): number | undefined {
  if (range === null) {
    if (isTemperatureGiven) warnings.push({ code: 'temperature_ignored', message: 'This model takes no temperature; it was left out.' });
    return undefined;
  }
  const fitting = Math.min(Math.max(asked, range.min), range.max);
  if (isTemperatureGiven && fitting !== asked) {
    warnings.push({ code: 'temperature_clamped', message: `This model takes a temperature from ${range.min} to ${range.max}; ${fitting} was sent.` });
  }
  return fitting;
}
