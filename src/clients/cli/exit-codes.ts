import {
  AllModelsFailedError,
  AuthenticationError,
  CompareError,
  InvalidRequestError,
  PaymentError,
  RateLimitError,
} from '../client/client';
import { inOwnWords } from './words';

/** Exit codes of the command line; README lists them. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  modelsFailed: 3,
  key: 4,
  money: 5,
  rateLimit: 6,
  tooSlow: 7,
  checksFailed: 8,
  regressed: 9,
  cannotTell: 10,
  interrupted: 130,
} as const;

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

/** The message of what a command has thrown, on one line or a few; a refused key is replaced by that login. */
export function messageOf(error: unknown, login = 'mcs login'): string {
  if (!(error instanceof CompareError)) return error instanceof Error ? error.message : String(error);
  const lines = [`${inOwnWords(error.message)} (${error.code})`];
  if (error instanceof AllModelsFailedError)
    lines.push(
      ...error.details.models.map(({ model, error: { code, message } }) => `  ${model}: ${message} (${code})`),
    );
  const unit = error.message.startsWith('Row ') ? 'row' : 'line';
  lines.push(
    ...faultsOf(error)
      .slice(1)
      .map(({ line, problem }) => `  ${unit} ${line}: ${problem}`),
  );
  if (error.code === 'unauthorized')
    lines.push(`Run ${login} to store another key, or set ${login === 'mcs login' ? 'MCS_API_KEY' : 'MCS_ADMIN_KEY'}.`);
  if (error.retryAfter !== undefined) lines.push(`Try again after ${error.retryAfter} seconds.`);
  if (error.requestId !== undefined) lines.push(`Request ${error.requestId}`);
  return lines.join('\n');
}

/** The lines or rows of a data set that are not valid; the message has the first of them. */
function faultsOf({ details }: CompareError): { line: number; problem: string }[] {
  return (details as { faults?: { line: number; problem: string }[] } | null | undefined)?.faults ?? [];
}
