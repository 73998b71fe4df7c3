import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { Money } from '../../common/money';
import { sortedJson } from '../statistics/sorted-json';
import { CheckDto } from './check.dto';
import { TYPE_NAMES, withAmounts, type Check } from './types';
import {
  passes,
  scoreOf,
  sumsByModel,
  type CheckedResult,
  type ModelChecks,
  type Outcome,
  type Verdict,
} from './verdict';
import { Choice, Decimal, Flag, Integer, ModelId, Parts, Schema, Text } from '../../platform/http/answer.decorators';

@Schema('What a check says of one answer.')
export class VerdictDto implements Verdict {
  @Text('Name of the check.', { example: 'contains-1' })
  name!: string;

  @Choice(TYPE_NAMES, 'Type of the check.', { enumName: 'CheckType' })
  type!: Check['type'];

  @Choice(['pass', 'fail', 'error', 'skipped'], '`error`: it could not be decided; `skipped`: the model failed.', {
    enumName: 'Outcome',
  })
  outcome!: Outcome;

  @Decimal('0 or 1, of a similarity the similarity (with `not`, 1 minus it); null when nothing was decided.', {
    nullable: true,
    example: 1,
  })
  score!: number | null;

  @Text('Why it did not pass, for people; the wording may change.', {
    optional: true,
    example: 'It does not contain "Paris".',
  })
  reason?: string;

  /** Members in their order, which the database does not keep. */
  static from({ name, type, outcome, score, reason }: Verdict): VerdictDto {
    return { name, type, outcome, score, reason };
  }
}

@Schema('What the checks say of one model, over all its results.')
class ModelChecksDto implements ModelChecks {
  @ModelId()
  model!: string;

  @Integer('Verdicts that passed.')
  passed!: number;

  @Integer('Verdicts that failed.')
  failed!: number;

  @Integer('Verdicts that could not be decided.')
  errored!: number;

  @Decimal('Mean score of its results, from 0 to 1 by the weights of the checks; null when nothing was decided.', {
    nullable: true,
    example: 1,
  })
  score!: number | null;
}

@Schema('The checks of an eval and what they say; only with `include=checks`.')
export class EvalChecksDto {
  @Flag('Whether every result passes: its model answered, and every check said so.')
  passed!: boolean;

  @ApiProperty({
    type: 'array',
    items: { $ref: getSchemaPath(CheckDto) },
    description: 'The checks, with names and defaults filled in.',
  })
  definitions!: object[];

  @Parts(ModelChecksDto, 'By model, in request order.')
  by_model!: ModelChecksDto[];

  static from(checks: readonly Check[], models: readonly string[], results: readonly CheckedResult[]): EvalChecksDto {
    return {
      passed: results.every(({ isAnswered, verdicts }) => isAnswered && passes(verdicts)),
      definitions: checks.map(definitionOf),
      by_model: checks.length === 0 ? [] : sumsByModel(models, results, checks),
    };
  }
}

@Schema('What the checks say of a text.')
@ApiExtraModels(CheckDto)
export class ChecksAnswerDto {
  @Flag('Whether every check passed.')
  passed!: boolean;

  @Decimal('Mean score by the weights of the checks; null when nothing was decided.', { nullable: true, example: 1 })
  score!: number | null;

  @Parts(VerdictDto, 'One per check, in request order.')
  verdicts!: VerdictDto[];

  static from(checks: readonly Check[], verdicts: readonly Verdict[]): ChecksAnswerDto {
    return {
      passed: passes(verdicts),
      score: scoreOf(verdicts, checks),
      verdicts: verdicts.map((verdict) => VerdictDto.from(verdict)),
    };
  }
}

/**
 * A definition with its members in one order, whether it comes from a request or from the database, and amounts as
 * numbers.
 */
function definitionOf({ name, type, weight, not, ...members }: Check): object {
  return {
    name,
    type,
    weight,
    not,
    ...withAmounts(sortedJson(members) as object, (amount) => Money.of(String(amount))),
  };
}
