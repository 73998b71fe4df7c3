import { ApiError } from '../../common/errors';
import { OperatorError } from '../../common/operator-error';

/** Runs an action. A refusal is reported in the sentences of the API, adapted to the console. */
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
