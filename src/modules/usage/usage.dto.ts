import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import type { Account } from '../auth/caller';
import type { MonthReport } from '../billing/ledger.service';
import type { Pricing } from '../billing/pricing';
import type { Money } from '../../common/money';

@ApiSchema({ name: 'Pricing', description: 'How evals are charged.' })
class PricingDto {
  @ApiProperty({ description: 'Label of the pricing model.', example: 'pass-through' })
  model!: string;

  @ApiProperty({ description: 'The pricing model in words.', example: 'Model cost plus a 40 percent margin.' })
  description!: string;

  @ApiProperty({ type: 'number', description: 'Margin as a fraction.', example: 0.4 })
  margin!: Money;

  @ApiProperty({ type: 'integer', description: 'Free evals per month.', example: 100 })
  free_quota!: number;

  @ApiProperty({
    type: [String],
    description: 'Model IDs covered by the free quota; an eval is free when all of its models are.',
    example: ['sim-swift'],
  })
  free_models!: readonly string[];
}

/** Response body of GET /usage. */
@ApiSchema({ name: 'Usage', description: "A user's usage and charge in one month." })
export class UsageDto {
  @ApiProperty({ description: 'User ID.' })
  user_id!: string;

  @ApiProperty({ format: 'email', description: "The user's e-mail address.", example: 'dev@example.com' })
  email!: string;

  @ApiProperty({ description: 'The month, as YYYY-MM in UTC.' })
  month!: string;

  @ApiProperty({ type: 'integer', description: 'Number of evals in that month.', example: 3 })
  eval_count!: number;

  @ApiProperty({ type: 'number', description: 'Charge for the month in USD, exact.', example: 0.00123 })
  total_charge_usd!: Money;

  @ApiProperty({ type: 'integer', description: 'Free evals remaining in that month.', example: 97 })
  free_evals_remaining!: number;

  @ApiProperty({ description: 'Whether a payment method is on file.' })
  has_payment_method!: boolean;

  @ApiProperty({ type: PricingDto, description: 'How evals are charged.' })
  pricing!: PricingDto;

  static from(account: Account, report: MonthReport, pricing: Pricing): UsageDto {
    return {
      user_id: account.userId,
      email: account.email,
      month: report.month.toString(),
      eval_count: report.evalCount,
      total_charge_usd: report.charge,
      free_evals_remaining: report.freeEvalsRemaining,
      has_payment_method: account.hasPaymentMethod,
      pricing: {
        model: pricing.label,
        description: pricing.description,
        margin: pricing.margin,
        free_quota: account.freeQuota,
        free_models: pricing.freeModels,
      },
    };
  }
}
