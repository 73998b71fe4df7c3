import { ApiError } from '../../common/errors';
import { MAX_AMOUNT_USD } from '../../common/money';
import { sanitize } from '../../platform/http/validation/field-errors';
import { amount } from '../../platform/http/validation/field-kinds';
import { Field, ObjectField } from '../../platform/http/validation/field.decorators';
import { Schema } from '../../platform/http/answer.decorators';

const MAX_NAME_CHARACTERS = 100;

@Schema('The only option that a rerun takes.')
export class RerunOptions {
  @Field(
    amount(0, MAX_AMOUNT_USD, 12),
    'As of POST /compare; by default that of the eval that is run again, if it had one.',
    { optional: true },
  )
  max_cost_usd?: number;
}

@Schema('What a rerun may cost at most.')
export class RerunRequest {
  static readonly mayBeAbsent = true;

  @ObjectField(RerunOptions, 'Another limit than that of the eval.', { optional: true })
  options?: RerunOptions;
}

/**
 * Refuses every member but `options`: a caller who sends another prompt would be charged for something else. @throws
 * ApiError invalid_request
 */
export function refuseChanges(body: object): void {
  const member = Object.keys(body).find((name) => name !== 'options');
  if (member === undefined) return;
  const name = sanitize(member.slice(0, MAX_NAME_CHARACTERS));
  throw new ApiError('invalid_request', {
    message: `${name} must not be given: an eval is run again unchanged; POST /api/v1/compare takes changes.`,
    param: name,
  });
}
