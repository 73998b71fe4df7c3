import { REQUEST_LIMITS } from '../../platform/config/request-limits';
import { text } from '../../platform/http/validation/field-kinds';
import { Field } from '../../platform/http/validation/field.decorators';
import { fillChecks } from './fill-checks';
import { ChecksField, toChecks } from './read-checks';
import type { Check, GivenCheck } from './types';
import { Schema } from '../../platform/http/answer.decorators';

/** The values filled into a check; a filled pattern or schema must keep its bounds. */
const MAX_EXPECTED_CHARACTERS = 2000;

@Schema('A text and what it is checked for.')
export class ChecksRequest {
  @ChecksField('The checks; up to 65,536 characters as JSON.')
  checks!: GivenCheck[];

  @Field(text(REQUEST_LIMITS.MAX_INPUT_CHARACTERS, { canBeBlank: true }), 'The text to look at.', {
    example: 'The capital of France is Paris.',
  })
  output!: string;

  @Field(
    text(MAX_EXPECTED_CHARACTERS, { canBeBlank: true }),
    'Replaces every {input} in the texts of the checks; in a pattern it is escaped.',
    { optional: true },
  )
  input?: string;

  @Field(
    text(MAX_EXPECTED_CHARACTERS, { canBeBlank: true }),
    'Replaces every {expected} in the texts of the checks; in a pattern it is escaped.',
    { optional: true, example: 'Paris' },
  )
  expected?: string;

  /**
   * The checks with names, defaults and variables filled in. @throws ApiError invalid_request when that makes them too
   * long
   */
  toChecks(): Check[] {
    return fillChecks(toChecks(this.checks), { input: this.input, expected: this.expected });
  }
}
