import { ApiSchema } from '@nestjs/swagger';
import { ApiError } from '../common/errors';
import { REQUEST_LIMITS } from '../common/request-limits';
import { said, text } from '../http/validation/field-kinds';
import { Field } from '../http/validation/field.decorators';
import { CHECK_LIMITS, type Check } from './check';
import type { GivenCheck } from './check.dto';
import { fillCheck } from './fill-checks';
import { ChecksField, toChecks } from './read-checks';

/** What is filled into a check; a pattern and a schema keep to their bounds with it. */
const MAX_EXPECTED_CHARACTERS = 2000;

/** Body of POST /checks. */
@ApiSchema({ description: 'A text and what it is checked for.' })
export class ChecksRequest {
  @ChecksField({ description: 'The checks; up to 65,536 characters as JSON.' })
  checks!: GivenCheck[];

  @Field(text(REQUEST_LIMITS.MAX_INPUT_CHARACTERS, { canBeBlank: true }), { description: 'The text to look at.', example: 'The capital of France is Paris.' })
  output!: string;

  @Field(text(MAX_EXPECTED_CHARACTERS, { canBeBlank: true }), { optional: true, description: 'Replaces every {input} in the texts of the checks; in a pattern it is escaped.' })
  input?: string;

  @Field(text(MAX_EXPECTED_CHARACTERS, { canBeBlank: true }), { optional: true, description: 'Replaces every {expected} in the texts of the checks; in a pattern it is escaped.', example: 'Paris' })
  expected?: string;

  /** The checks with names, defaults and variables filled in. @throws ApiError invalid_request when that makes them too long */
  toChecks(): Check[] {
    const { input, expected } = this;
    let characters = 0;
    return toChecks(this.checks).map((check, position) => {
      const filled = fillCheck(check, { input, expected });
      characters += JSON.stringify(filled).length;
      if (characters <= CHECK_LIMITS.MAX_CHARACTERS) return filled;
      const param = `checks[${position}]`;
      throw new ApiError('invalid_request', { message: `With input and expected filled in, ${param} makes the checks longer than ${said(CHECK_LIMITS.MAX_CHARACTERS)} characters as JSON.`, param });
    });
  }
}
