import { ApiError } from '../../../common/errors';
import { decimal, MAX_MODEL_ARM_CHARACTERS, recordId, text } from '../../../platform/http/validation/field-kinds';
import { QueryField } from '../../../platform/http/validation/field.decorators';
import type { ComparisonQuestion } from './comparison';

const DEFAULT_TOLERANCE = 0.02;

/** Query of GET /experiments/{id}/comparison. */
export class ComparisonQuery {
  @QueryField(recordId('exp', 'an experiment id'), 'The earlier experiment. Required.')
  against?: string;

  @QueryField(text(MAX_MODEL_ARM_CHARACTERS), 'A model of this experiment; by default all models of both.')
  model?: string;

  @QueryField(
    text(MAX_MODEL_ARM_CHARACTERS),
    'The model of the earlier experiment, if it is another one; only with `model`.',
  )
  against_model?: string;

  @QueryField(decimal(0, 1), 'The loss of pass rate that counts as not worse, as a fraction.', {
    read: (value) => (/^\d+(\.\d+)?$/.test(value) ? Number(value) : value),
    default: DEFAULT_TOLERANCE,
  })
  tolerance: number = DEFAULT_TOLERANCE;

  /** The id of the earlier experiment. @throws ApiError invalid_request if it is missing */
  experimentBefore(): string {
    if (this.against === undefined)
      throw new ApiError('invalid_request', { message: 'against is required.', param: 'against' });
    return this.against;
  }

  /** @throws ApiError invalid_request for `against_model` alone */
  toQuestion(): ComparisonQuestion {
    if (this.against_model !== undefined && this.model === undefined)
      throw new ApiError('invalid_request', { message: 'against_model needs model.', param: 'against_model' });
    return {
      tolerance: this.tolerance,
      ...(this.model !== undefined && { models: [{ before: this.against_model ?? this.model, after: this.model }] }),
    };
  }
}
