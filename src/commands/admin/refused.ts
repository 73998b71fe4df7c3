import { ApiError } from '../../common/errors';
import { OperatorError } from '../../common/operator-error';

/** Does something; what it refuses is told in the sentences that the API would answer with, or what becomes of them here. */
export async function refused<T>(work: () => Promise<T>, toldHere = (sentence: string) => sentence): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ApiError ? new OperatorError(sentencesOf(error).map(toldHere).join('\n'), error) : error;
  }
}

function sentencesOf({ message, details }: ApiError): string[] {
  const { problems = [] } = (details ?? {}) as { problems?: { message: string }[] };
  return problems.length > 0 ? problems.map((problem) => problem.message) : [message];
}
