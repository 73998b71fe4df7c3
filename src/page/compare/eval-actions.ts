import type { Eval } from '../../client/client';
import { navigate } from '../router';
import type { AnswerActions } from './answer-actions';
import { definitionsOf, samplesOf } from './evaluated';
import { draftsOf, type FormContent } from './form-content';
import { changeForm, showForm } from './form-state';
import { DEFAULT_TEMPERATURE } from './limits';

/** The actions on the answers of a stored eval: all of them open the form with the eval's content, and run nothing. */
export function evalActions(stored: Eval): AnswerActions {
  const open = (change: Partial<FormContent>): void => {
    changeForm({ ...contentOfEval(stored), ...change });
    showForm();
    navigate('/');
  };
  return { again: () => open({}), askAgain: (model) => open({ models: [model] }), raiseLimit: (maxTokens) => open({ maxTokens: String(maxTokens) }) };
}

/** The content of the form that an eval was made from, without the ceiling and typed defaults, which are not stored. */
export function contentOfEval(stored: Eval): FormContent {
  const { prompt, models, details } = stored;
  const { temperature, max_tokens: maxTokens } = details?.options ?? {};
  const samples = samplesOf(details?.options);
  return {
    prompt, models, input: details?.input ?? '', maxCostUsd: '',
    temperature: temperature === undefined || String(temperature) === DEFAULT_TEMPERATURE ? '' : String(temperature),
    maxTokens: maxTokens === undefined ? '' : String(maxTokens),
    samples: samples === 1 ? '' : String(samples), checks: draftsOf(definitionsOf(stored)),
  };
}
