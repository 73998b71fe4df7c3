import { ApiError } from '../../../common/errors';
import {
  choice,
  decimal,
  MAX_MODEL_ARM_CHARACTERS,
  recordId,
  text,
  wholeNumber,
} from '../../../platform/http/validation/field-kinds';
import { digits, QueryField } from '../../../platform/http/validation/field.decorators';
import type { ComparisonQuestion } from './comparison';

export const DEFAULT_TOLERANCE = 0.02;
/** The rows that a report or a share shows at most. */
export const MAX_REPORTED_ROWS = 10;
/** The largest tolerance of a recommendation. */
export const MAX_TOLERANCE = 0.2;
const asFraction = (value: string) => (/^\d+(\.\d+)?$/.test(value) ? Number(value) : value);

/** Query of GET /experiments/{id}/summary. */
export class SummaryQuery {
  @QueryField(decimal(0, MAX_TOLERANCE), 'The loss of pass rate that counts as not worse, as a fraction.', {
    read: asFraction,
    default: DEFAULT_TOLERANCE,
  })
  tolerance: number = DEFAULT_TOLERANCE;
}

/** Query of GET /experiments/{id}/report. */
export class ReportQuery extends SummaryQuery {
  @QueryField(choice(['true', 'false']), '`false` leaves out the texts: prompt, rows, answers, options and reason.', {
    default: 'true',
  })
  texts: 'true' | 'false' = 'true';

  @QueryField(wholeNumber(0, MAX_REPORTED_ROWS), 'Rows in which models differ that are shown at most.', {
    read: digits,
    default: MAX_REPORTED_ROWS,
  })
  rows: number = MAX_REPORTED_ROWS;
}

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
    read: asFraction,
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
