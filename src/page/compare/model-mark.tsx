import { markOf } from './model-marks';

/** The colored square with the initial of a model, by which it is known among the shown models. Its name is beside it. */
export function ModelMark({ model, models }: { model: string; models: readonly string[] }) {
  const { color, initial } = markOf(model, models);
  return <span class="model-mark" data-color={color} aria-hidden="true">{initial}</span>;
}
