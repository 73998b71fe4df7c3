import { sentCheck } from '../checks/check';
import type { StoredEval } from '../evals/evals.service';
import type { Result } from '../evals/result.entity';

/** The default when nobody gives a temperature; where it was given all the same, models that do not take it have said so. */
const DEFAULT_TEMPERATURE = 0.7;

/** The body of POST /compare that asks for an eval again: its prompt, input, models, options, samples and checks, each only where it was given or may have been. `maxCostUsd` takes the place of its own. */
export function requestOf({ record, results }: StoredEval, maxCostUsd: number | undefined): object {
  const { prompt, input, models, temperature, maxTokens, samples, checks, maxCost } = record;
  const isTemperatureGiven = temperature !== DEFAULT_TEMPERATURE || results.some(hasTemperatureWarning);
  const max = maxCostUsd ?? (maxCost === null ? undefined : Number(maxCost.toString()));
  return {
    prompt,
    models,
    ...(input !== null && { input }),
    options: { ...(isTemperatureGiven && { temperature }), max_tokens: maxTokens, ...(samples > 1 && { samples }), ...(max !== undefined && { max_cost_usd: max }) },
    ...(checks !== null && { checks: checks.map(sentCheck) }),
  };
}

function hasTemperatureWarning({ warnings }: Result): boolean {
  return warnings.some(({ code }) => code === 'temperature_ignored' || code === 'temperature_clamped');
}
