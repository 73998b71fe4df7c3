import { AllModelsFailedError, AuthenticationError, CompareError, InvalidRequestError, PaymentError, RateLimitError } from '../client/client';

/** Exit codes of the command line; README lists them. */
export const EXIT = { done: 0, failed: 1, usage: 2, modelsFailed: 3, key: 4, money: 5, rateLimit: 6, tooSlow: 7, checksFailed: 8, interrupted: 130 } as const;

/** Wrong use of the command line: nothing was sent. */
export class UsageError extends Error {}

/** No key, or a file of keys that others can read. */
export class KeyError extends Error {}

/** The exit code of what a command has thrown. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError || error instanceof InvalidRequestError) return EXIT.usage;
  if (error instanceof KeyError || error instanceof AuthenticationError) return EXIT.key;
  if (error instanceof PaymentError) return EXIT.money;
  if (error instanceof RateLimitError) return EXIT.rateLimit;
  return error instanceof AllModelsFailedError ? EXIT.modelsFailed : EXIT.failed;
}

/** The message of what a command has thrown, on one line or a few. */
export function messageOf(error: unknown): string {
  if (!(error instanceof CompareError)) return error instanceof Error ? error.message : String(error);
  const lines = [`${error.message} (${error.code})`];
  if (error instanceof AllModelsFailedError) lines.push(...error.details.models.map(({ model, error: { code, message } }) => `  ${model}: ${message} (${code})`));
  if (error.retryAfter !== undefined) lines.push(`Try again after ${error.retryAfter} seconds.`);
  if (error.requestId !== undefined) lines.push(`Request ${error.requestId}`);
  return lines.join('\n');
}
