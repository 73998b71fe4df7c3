import { EFFORTS, type Effort } from './effort';

/** A model id with an effort behind an @, as a caller wrote it, and that effort. */
export interface ModelArm {
  id: string;
  effort: Effort;
}

/** The id that the caller wrote: with the effort, if there is one behind an @. */
export function writtenId({ model, arm }: { model: { id: string }; arm?: ModelArm | undefined }): string {
  return arm?.id ?? model.id;
}

/**
 * The id of a model in the catalog: of `gpt-6.2-sol@low`, an arm, the part before the @. Prices, limits and free models
 * go by it.
 */
export function baseModelId(id: string): string {
  const end = id.indexOf('@');
  return end < 0 ? id : id.slice(0, end);
}

/** The effort behind the @ of a model id, one of `efforts`; undefined if there is no such effort. */
export function effortOfArm(id: string, efforts: readonly Effort[]): Effort | undefined {
  const written = id.slice(baseModelId(id).length + 1);
  return EFFORTS.find((effort) => effort === written && efforts.includes(effort));
}
