import { Fragment } from 'preact';
import { markOf } from './model-marks';

/**
 * The colored square with the initial of a model, by which it is known among the shown models. Its name is beside it.
 */
export function ModelMark({ model, models }: { model: string; models: readonly string[] }) {
  const { color, initial } = markOf(model, models);
  return (
    <span class="model-mark" data-color={color} aria-hidden="true">
      {initial}
    </span>
  );
}

/** A name that breaks after its parts, such as the vendor's, before it breaks within a word. */
export function BreakableName({ model }: { model: string }) {
  return (
    <>
      {model.split(/(?<=[/:])|(?=@)/).map((part, index) => (
        <Fragment key={index}>
          {index > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </>
  );
}

/** The mark of a model and its name. */
export function ModelName({ model, models }: { model: string; models: readonly string[] }) {
  return (
    <>
      <ModelMark model={model} models={models} />{' '}
      <bdi>
        <BreakableName model={model} />
      </bdi>
    </>
  );
}
