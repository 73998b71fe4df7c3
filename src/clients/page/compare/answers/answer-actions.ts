import type { Eval } from '../../../client/client';
import { navigate } from '../../router';
import { continuation } from '../form/continuation';
import { contentOfEval, requestOfEval } from '../form/eval-content';
import type { Draft, FormContent } from '../form/form-content';
import { changeForm, linkProblems, showForm } from '../form/form-state';

/** A limit of tokens that is raised. */
export interface RaisedLimit {
  field: Extract<keyof Draft, 'maxTokens' | 'room'>;
  to: number;
}

/** A button of the bar above the answers. */
export interface BarAction {
  label: string;
  title: string;
  run: () => void;
  isDanger?: boolean;
  /** True if it is not behind ⋯. */
  isMain?: boolean;
}

/** The actions on answers; an absent action has no button. */
export interface AnswerActions {
  /** The same request once more, at once or in the form. */
  again?: BarAction | undefined;
  /** Only this model, into the form. */
  askAgain?: ((model: string) => void) | undefined;
  /** More room for an answer, into the form. */
  raiseLimit?: ((limit: RaisedLimit) => void) | undefined;
  /** Goes on after this answer, into the form. */
  continueWith?: ((answer: string) => void) | undefined;
  /** More actions on the stored eval, after the common ones. */
  more?: readonly BarAction[];
}

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
    continueWith: continuation(requestOfEval(stored), () => open({})),
  };
}
