import type { Draft } from './form-content';

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
}

/** The actions on answers; an absent action has no button. */
export interface AnswerActions {
  /** The same request once more, at once or in the form. */
  again?: BarAction | undefined;
  /** Only this model, into the form. */
  askAgain?: ((model: string) => void) | undefined;
  /** More room for an answer, into the form. */
  raiseLimit?: ((limit: RaisedLimit) => void) | undefined;
  /** More actions on the stored eval, after the common ones. */
  more?: readonly BarAction[];
}
