/** A failure that the operator can fix. Its message names the setting at fault and is printed without a stack trace. */
export class OperatorError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'OperatorError';
  }
}
