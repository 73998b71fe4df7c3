/** The actions on answers; an absent action has no button. */
export interface AnswerActions {
  /** Send the same request again. */
  again?: (() => void) | undefined;
  /** Only this model, into the form. */
  askAgain?: ((model: string) => void) | undefined;
  /** A higher limit of tokens, into the form. */
  raiseLimit?: ((maxTokens: number) => void) | undefined;
}
