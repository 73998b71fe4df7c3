import type { Model, ReasoningEffort } from '../../client/client';
import { factsOf } from './evaluated';

/** How much a model may think before it writes, from the least to the most. */
export const EFFORTS: readonly ReasoningEffort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/** The model of an id that may carry an effort, such as `gpt-6.2-sol@low`. */
export function modelOf(id: string): string {
  return id.split('@')[0] ?? id;
}

/** The efforts that a model accepts, least first; none where it does not think or the service does not say. */
export function effortsOf({ details }: Model): string[] {
  const { efforts } = factsOf(factsOf(details)['reasoning']);
  return Array.isArray(efforts) ? EFFORTS.filter((effort) => efforts.includes(effort)) : [];
}

/** The ids under which a model can be chosen: its own, and one for each of its efforts. */
export function idsOf(model: Model): string[] {
  return [model.id, ...effortsOf(model).map((effort) => `${model.id}@${effort}`)];
}
