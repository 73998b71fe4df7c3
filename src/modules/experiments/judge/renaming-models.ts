import { ApiError } from '../../../common/errors';

/** A model in a list, as an error of `ModelsService` names it. */
const PLACE = /^models\[(\d+)\]/;

/** Does some work, whose errors name a model of a request by its place there, which `nameOf` says. @throws ApiError */
export async function renamingModels<T>(work: () => T | Promise<T>, nameOf: (index: string) => string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError) || error.param === undefined) throw error;
    const renamed = (text: string) => text.replace(PLACE, (_, index: string) => nameOf(index));
    const { code, message, param, details } = error;
    throw new ApiError(code, { message: renamed(message), param: renamed(param), details });
  }
}
