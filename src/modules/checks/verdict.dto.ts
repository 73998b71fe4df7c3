import { ApiExtraModels, ApiProperty, ApiPropertyOptional, ApiSchema, getSchemaPath } from '@nestjs/swagger';
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

/** The verdict of a check on one result. */
@ApiSchema({ name: 'Verdict', description: 'What a check says of one answer.' })
export class VerdictDto implements Verdict {
  @ApiProperty({ description: 'Name of the check.', example: 'contains-1' })
  name!: string;

  @ApiProperty({
    enum: TYPE_NAMES,
    enumName: 'CheckType',
    enumSchema: { description: 'The type of a check.' },
    description: 'Type of the check.',
  })
  type!: Check['type'];

  @ApiProperty({
    enum: ['pass', 'fail', 'error', 'skipped'],
    enumName: 'Outcome',
    enumSchema: { description: 'How a check ended.' },
    description: '`error`: it could not be decided; `skipped`: the model failed.',
  })
  outcome!: Outcome;

  @ApiProperty({
    type: 'number',
    nullable: true,
    description: '0 or 1, of a similarity the similarity (with `not`, 1 minus it); null when nothing was decided.',
    example: 1,
  })
  score!: number | null;

  @ApiPropertyOptional({
    description: 'Why it did not pass, for people; the wording may change.',
    example: 'It does not contain "Paris".',
  })
  reason?: string;

  /** Members in their order, which the database does not keep. */
  static from({ name, type, outcome, score, reason }: Verdict): VerdictDto {
    return { name, type, outcome, score, ...(reason !== undefined && { reason }) };
  }
}

@ApiSchema({ name: 'ModelChecks', description: 'What the checks say of one model, over all its results.' })
class ModelChecksDto implements ModelChecks {
  @ApiProperty({ description: 'Model ID.', example: 'sim-swift' })
  model!: string;

  @ApiProperty({ type: 'integer', description: 'Verdicts that passed.' })
  passed!: number;

  @ApiProperty({ type: 'integer', description: 'Verdicts that failed.' })
  failed!: number;

  @ApiProperty({ type: 'integer', description: 'Verdicts that could not be decided.' })
  errored!: number;

  @ApiProperty({
    type: 'number',
    nullable: true,
    description: 'Mean score of its results, from 0 to 1 by the weights of the checks; null when nothing was decided.',
    example: 1,
  })
  score!: number | null;
}

/** The checks of an eval and what they say. */
@ApiSchema({ name: 'EvalChecks', description: 'The checks of an eval and what they say; only with `include=checks`.' })
@ApiExtraModels(CheckDto)
export class EvalChecksDto {
  @ApiProperty({ description: 'Whether every result passes: its model answered, and every check said so.' })
  passed!: boolean;

  @ApiProperty({
    type: 'array',
    items: { $ref: getSchemaPath(CheckDto) },
    description: 'The checks, with names and defaults filled in.',
  })
  definitions!: object[];

  @ApiProperty({ type: [ModelChecksDto], description: 'By model, in request order.' })
  by_model!: ModelChecksDto[];

  static from(checks: readonly Check[], models: readonly string[], results: readonly CheckedResult[]): EvalChecksDto {
    return {
      passed: results.every(({ isAnswered, verdicts }) => isAnswered && passes(verdicts)),
      definitions: checks.map(definitionOf),
      by_model: checks.length === 0 ? [] : sumsByModel(models, results, checks),
    };
  }
}

/** The response of POST /checks. */
@ApiSchema({ name: 'ChecksAnswer', description: 'What the checks say of a text.' })
@ApiExtraModels(CheckDto)
export class ChecksAnswerDto {
  @ApiProperty({ description: 'Whether every check passed.' })
  passed!: boolean;

  @ApiProperty({
    type: 'number',
    nullable: true,
    description: 'Mean score by the weights of the checks; null when nothing was decided.',
    example: 1,
  })
  score!: number | null;

  @ApiProperty({ type: [VerdictDto], description: 'One per check, in request order.' })
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
