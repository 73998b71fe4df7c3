import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { Money } from '../../common/money';
import { wholeNumber } from '../../platform/http/validation/field-kinds';
import { digits, QueryField } from '../../platform/http/validation/field.decorators';
import type { ModelProjection, ProjectedStep } from './projection';
import type { EvalProjection } from './projection.service';

const MAX_CALLS_PER_MONTH = 1_000_000_000;

/** Query of GET /evals/:id/projection. */
export class ProjectionQuery {
  @QueryField(wholeNumber(1, MAX_CALLS_PER_MONTH), {
    read: digits,
    default: 1000,
    description: 'Calls of each model in a month.',
  })
  calls_per_month: number = 1000;
}

@ApiSchema({ name: 'PriceHours', description: 'Hours of the UTC day to which a price is limited.' })
class PriceHoursDto {
  @ApiProperty({
    type: 'array',
    items: { type: 'integer' },
    nullable: true,
    description: 'Days of the week from 0 for Sunday; null for all.',
  })
  weekdays!: readonly number[] | null;

  @ApiProperty({ description: 'Start, included.', example: '01:00' })
  from!: string;

  @ApiProperty({ description: 'End, excluded.', example: '04:00' })
  until!: string;
}

/** A month at one price. */
@ApiSchema({ name: 'ProjectedMonth', description: 'What a month of calls would cost at one price.' })
class ProjectedMonthDto {
  @ApiProperty({ format: 'date', description: 'First day of the price (UTC).' })
  from!: string;

  @ApiProperty({
    type: 'string',
    format: 'date',
    nullable: true,
    description: 'Last day of the price (UTC); null when no end is announced.',
  })
  until!: string | null;

  @ApiProperty({
    type: PriceHoursDto,
    nullable: true,
    description: 'The hours to which the price is limited; null for all other hours.',
  })
  hours!: PriceHoursDto | null;

  @ApiProperty({
    type: 'number',
    description:
      'Mean cost of a call in USD, rounded to 12 decimals. Where the vendor stated a cost below its list price, the same share of the price is assumed.',
  })
  cost_per_call_usd!: Money;

  @ApiProperty({
    type: 'number',
    description:
      "The same with tokens from the vendor's cache at the rate of other input: repeated prompts find more there than different ones.",
  })
  cost_per_call_without_cache_usd!: Money;

  @ApiProperty({ type: 'number', description: 'Cost of the month in USD, rounded to 12 decimals.' })
  monthly_cost_usd!: Money;

  @ApiProperty({ type: 'number', description: 'The same with our margin. Free evals are not taken off.' })
  monthly_charge_usd!: Money;

  @ApiProperty({
    type: 'array',
    items: { type: 'number' },
    minItems: 2,
    maxItems: 2,
    nullable: true,
    description:
      '95 % interval of monthly_cost_usd for calls of this prompt; null where the answers do not tell how much costs vary.',
  })
  ci!: [number, number] | null;

  @ApiProperty({
    type: 'string',
    enum: ['student_t', null],
    nullable: true,
    description: 'How `ci` was made; null without one.',
  })
  ci_method!: 'student_t' | null;

  static from({
    from,
    until,
    hours,
    costPerCall,
    costPerCallWithoutCache,
    monthlyCost,
    monthlyCharge,
    interval,
  }: ProjectedStep): ProjectedMonthDto {
    return {
      from,
      until,
      hours,
      cost_per_call_usd: costPerCall,
      cost_per_call_without_cache_usd: costPerCallWithoutCache,
      monthly_cost_usd: monthlyCost,
      monthly_charge_usd: monthlyCharge,
      ci: interval,
      ci_method: interval === null ? null : 'student_t',
    };
  }
}

@ApiSchema({ name: 'ModelProjection', description: 'The projection of one model.' })
class ModelProjectionDto {
  @ApiProperty({ description: 'Model ID.', example: 'sim-swift' })
  model!: string;

  @ApiProperty({ type: 'integer', description: 'Calls that answered; the projection rests on these.' })
  answered!: number;

  @ApiProperty({
    type: [ProjectedMonthDto],
    description:
      "At today's price first, then at every price already announced; empty when there is nothing to project.",
  })
  months!: ProjectedMonthDto[];

  @ApiProperty({ type: [String], description: 'What should be known about these figures, in words.' })
  notes!: string[];

  static from({ model, answered, steps, notes }: ModelProjection): ModelProjectionDto {
    return { model, answered, months: steps.map((step) => ProjectedMonthDto.from(step)), notes };
  }
}

/** Response body of GET /evals/{id}/projection. */
@ApiSchema({ name: 'Projection', description: 'What a month of calls like those of an eval would cost.' })
export class ProjectionDto {
  @ApiProperty({ description: 'Eval ID.' })
  eval_id!: string;

  @ApiProperty({ type: 'integer', description: 'Calls of each model in a month.', example: 1000 })
  calls_per_month!: number;

  @ApiProperty({ type: 'number', description: 'Our margin as a fraction.', example: 0.4 })
  margin!: Money;

  @ApiProperty({ type: [ModelProjectionDto], description: 'In request order.' })
  models!: ModelProjectionDto[];

  static from({ evalId, callsPerMonth, margin, models }: EvalProjection): ProjectionDto {
    return {
      eval_id: evalId,
      calls_per_month: callsPerMonth,
      margin: Money.of(margin),
      models: models.map((model) => ModelProjectionDto.from(model)),
    };
  }
}
