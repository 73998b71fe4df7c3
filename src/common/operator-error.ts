/** A failure that the operator can mend; its message says what, with the name of the setting, and is all that is printed of it. */
export class OperatorError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'OperatorError';
  }
}
