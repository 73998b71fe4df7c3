import type { CompareRequest, Eval } from '../../../client/client';
import { definitionsOf, factsOf } from '../evaluated';
import { DEFAULT_TEMPERATURE } from '../limits';
import { contentOf, type FormContent } from './form-content';

/** The content of the form that an eval was made from, without the ceiling and typed defaults, which are not stored. */
export function contentOfEval(stored: Eval): FormContent {
  return contentOf(requestOfEval(stored));
}

/** The request of an eval, likewise. */
export function requestOfEval(stored: Eval): CompareRequest {
  const { prompt, models, details } = stored;
  const options = givenOptions(stored);
  const [input, checks] = [details?.input ?? '', definitionsOf(stored)];
  return {
    prompt,
    models,
    ...(input !== '' && { input }),
    ...(Object.keys(options).length > 0 && { options }),
    ...(checks.length > 0 && { checks }),
  } as CompareRequest;
}

function givenOptions(stored: Eval): object {
  const { temperature, max_tokens: maxTokens, ...options } = stored.details?.options ?? {};
  return {
    ...options,
    ...(temperature !== undefined && String(temperature) !== DEFAULT_TEMPERATURE && { temperature }),
    ...(maxTokens !== undefined && !hasDefaultRoom(stored) && { max_tokens: maxTokens }),
  };
}

/** True if a model got room for thought by default, which only requests without `max_tokens` get. */
function hasDefaultRoom({ details, results }: Eval): boolean {
  return (
    details?.options.reasoning_tokens === undefined &&
    results.some((result) => factsOf(result.details?.applied)['reasoning_tokens'] !== undefined)
  );
}
