import { ApiProperty } from '@nestjs/swagger';
import { Money } from '../../common/money';
import { wholeNumber } from '../../platform/http/validation/field-kinds';
import { roundedInterval, sixDigits } from '../statistics/rounding';
import type { Interval } from '../statistics/intervals';
import { digits, QueryField } from '../../platform/http/validation/field.decorators';
import type { EvalProjection, ModelProjection, ProjectedStep } from './projection';
import {
  Choice,
  ConfidenceInterval,
  Decimal,
  Integer,
  ModelId,
  Part,
  Parts,
  Schema,
  Text,
  Texts,
  UsdAmount,
} from '../../platform/http/answer.decorators';

const MAX_CALLS_PER_MONTH = 1_000_000_000;

/** Query of GET /evals/:id/projection. */
export class ProjectionQuery {
  @QueryField(wholeNumber(1, MAX_CALLS_PER_MONTH), 'Calls of each model in a month.', { read: digits, default: 1000 })
  calls_per_month: number = 1000;
}

@Schema('Hours of the UTC day to which a price is limited.')
class PriceHoursDto {
  @ApiProperty({
    type: 'array',
    items: { type: 'integer' },
    nullable: true,
    description: 'Days of the week from 0 for Sunday; null for all.',
  })
  weekdays!: readonly number[] | null;

  @Text('Start, included.', { example: '01:00' })
  from!: string;

  @Text('End, excluded.', { example: '04:00' })
  until!: string;
}

@Schema('What a month of calls would cost at one price.')
class ProjectedMonthDto {
  @Text('First day of the price (UTC).', { format: 'date' })
  from!: string;

  @Text('Last day of the price (UTC); null when no end is announced.', { nullable: true, format: 'date' })
  until!: string | null;

  @Part(PriceHoursDto, 'The hours to which the price is limited; null for all other hours.', { nullable: true })
  hours!: PriceHoursDto | null;

  @UsdAmount(
    'Mean cost of a call in USD, rounded to 12 decimals. Where the vendor stated a cost below its list price, the same share of the price is assumed.',
  )
  cost_per_call_usd!: Money;

  @UsdAmount(
    "The same with tokens from the vendor's cache at the rate of other input: repeated prompts find more there than different ones.",
  )
  cost_per_call_without_cache_usd!: Money;

  @UsdAmount('Cost of the month in USD, rounded to 12 decimals.')
  monthly_cost_usd!: Money;

  @UsdAmount('The same with our margin. Free evals are not taken off.')
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

  @Choice(['student_t', null], 'How `ci` was made; null without one.', { nullable: true })
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

@Schema('What passed answers cost in USD, without our margin: the cost of all calls over the passed ones.')
class ProjectedPassedDto {
  @Decimal('Of a passed answer, at the costs of this eval.', { example: 0.0000091 })
  usd!: number;

  @ConfidenceInterval('Interval of 95 % of `usd`; null where it is free.', [0.0000088, 0.0000096])
  ci!: Interval | null;

  @Decimal('Of `calls_per_month` passed answers.', { example: 0.455 })
  monthly_usd!: number;
}

@Schema('The projection of one model.')
class ModelProjectionDto {
  @ModelId()
  model!: string;

  @Integer('Calls that answered; the projection rests on these.')
  answered!: number;

  @Parts(
    ProjectedMonthDto,
    "At today's price first, then at every price already announced; empty when there is nothing to project.",
  )
  months!: ProjectedMonthDto[];

  @Part(ProjectedPassedDto, 'Passed answers; null below 5 of them.', { nullable: true })
  cost_per_passed!: ProjectedPassedDto | null;

  @Texts('What should be known about these figures, in words.')
  notes!: string[];

  static from({ model, answered, steps, perPassed, notes }: ModelProjection, perMonth: number): ModelProjectionDto {
    const months = steps.map((step) => ProjectedMonthDto.from(step));
    const passed = perPassed && {
      usd: sixDigits(perPassed.usd),
      ci: roundedInterval(perPassed.interval),
      monthly_usd: sixDigits(perMonth * perPassed.usd),
    };
    return { model, answered, months, cost_per_passed: passed, notes };
  }
}

@Schema('What a month of calls like those of an eval would cost.')
export class ProjectionDto {
  @Text('Eval ID.')
  eval_id!: string;

  @Integer('Calls of each model in a month.', { example: 1000 })
  calls_per_month!: number;

  @Decimal('Our margin as a fraction.', { example: 0.4 })
  margin!: Money;

  @Parts(ModelProjectionDto, 'In request order.')
  models!: ModelProjectionDto[];

  static from({ evalId, callsPerMonth, margin, models }: EvalProjection): ProjectionDto {
    return {
      eval_id: evalId,
      calls_per_month: callsPerMonth,
      margin: Money.of(margin),
      models: models.map((model) => ModelProjectionDto.from(model, callsPerMonth)),
    };
  }
}
