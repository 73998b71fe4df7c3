import type { Eval } from '../../client/client';
import { navigate } from '../router';
import type { AnswerActions } from './answer-actions';
import { contentOfEval } from './eval-content';
import type { FormContent } from './form-content';
import { changeForm, linkProblems, showForm } from './form-state';

/** The actions on the answers of a stored eval: all of them open the form with the eval's content, and run nothing. */
export function evalActions(stored: Eval): AnswerActions {
  const open = (change: Partial<FormContent>): void => {
    changeForm({ ...contentOfEval(stored), ...change });
    linkProblems.value = [];
    showForm();
    navigate('/');
  };
  return {
    again: { label: 'Edit and run', title: 'Open the form with this request', run: () => open({}) },
    askAgain: (model) => open({ models: [model] }),
    raiseLimit: ({ field, to }) => open({ [field]: String(to) }),
  };
}
