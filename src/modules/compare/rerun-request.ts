import { sentCheck } from '../checks/types';
import type { StoredEval } from '../evals/evals.service';
import type { Result } from '../evals/result.entity';
import { DEFAULT_TEMPERATURE } from '../execution/adapt-parameters';
import { DEFAULT_MAX_TOKENS } from '../execution/limit-output';

/**
 * The body of POST /compare that repeats an eval: its prompt, input, models, options, samples and checks, each only if
 * it was given. `maxCostUsd` replaces the stored one.
 */
export function requestOf({ record, results }: StoredEval, maxCostUsd: number | undefined): object {
  const { prompt, input, models, temperature, samples, checks, maxCost, options } = record;
  // If the default itself was given, models that do not accept it have a warning.
  const isTemperatureGiven = temperature !== DEFAULT_TEMPERATURE || results.some(hasTemperatureWarning);
  const max = maxCostUsd ?? (maxCost === null ? undefined : Number(maxCost.toString()));
  return {
    prompt,
    models,
    ...(input !== null && { input }),
    options: {
      ...(isTemperatureGiven && { temperature }),
      ...limitOf(record, results),
      ...(samples > 1 && { samples }),
      ...(max !== undefined && { max_cost_usd: max }),
      ...options,
    },
    ...(checks !== null && { checks: checks.map(sentCheck) }),
  };
}

function hasTemperatureWarning({ warnings }: Result): boolean {
  return warnings.some(({ code }) => code === 'temperature_ignored' || code === 'temperature_clamped');
}

/** Nothing if a model had the default room for thought: an explicit limit would leave it none. */
function limitOf({ maxTokens, options }: StoredEval['record'], results: readonly Result[]): { max_tokens?: number } {
  const hasRoom = results.some(({ details }) => details.applied['reasoning_tokens'] !== undefined);
  return hasRoom && maxTokens === DEFAULT_MAX_TOKENS && options?.reasoning_tokens === undefined
    ? {}
    : { max_tokens: maxTokens };
}
