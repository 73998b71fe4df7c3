import { CompareError } from '../client/client';

/**
 * Runs an action. Returns the message of its failure, or an empty text; `missing` stands for the message of an answer
 * 404.
 */
export async function problemOf(action: () => Promise<unknown>, missing?: string): Promise<string> {
  try {
    await action();
    return '';
  } catch (error) {
    if (!(error instanceof CompareError)) throw error;
    return error.status === 404 && missing !== undefined ? missing : error.message;
  }
}
