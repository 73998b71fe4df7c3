/**
 * EX_CONFIG of sysexits.h, as exit status and as cause of an error: another start fails too until a person has mended
 * something. `deploy/mcs.service` relies on it.
 */
export const REFUSED = 78;

/** A failure that the operator can fix. Its message names the setting at fault and is printed without a stack trace. */
export class OperatorError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'OperatorError';
  }
}
