import type { Account } from '../auth/caller';
import type { MonthReport } from '../billing/ledger.service';
import type { Pricing } from '../billing/pricing';
import type { Money } from '../../common/money';
import { Decimal, Flag, Integer, Part, Schema, Text, Texts, UsdAmount } from '../../platform/http/answer.decorators';

@Schema('How evals are charged.')
class PricingDto {
  @Text('Label of the pricing model.', { example: 'pass-through' })
  model!: string;

  @Text('The pricing model in words.', { example: 'Model cost plus a 40 percent margin.' })
  description!: string;

  @Decimal('Margin as a fraction.', { example: 0.4 })
  margin!: Money;

  @Integer('Free evals per month.', { example: 100 })
  free_quota!: number;

  @Texts('Model IDs covered by the free quota; an eval is free when all of its models are.', { example: ['sim-swift'] })
  free_models!: readonly string[];
}

@Schema("A user's usage and charge in one month.")
export class UsageDto {
  @Text('User ID.')
  user_id!: string;

  @Text("The user's e-mail address.", { format: 'email', example: 'dev@example.com' })
  email!: string;

  @Text('The month, as YYYY-MM in UTC.')
  month!: string;

  @Integer('Number of evals in that month.', { example: 3 })
  eval_count!: number;

  @UsdAmount('Charge for the month in USD, exact.', { example: 0.00123 })
  total_charge_usd!: Money;

  @Integer('Free evals remaining in that month.', { example: 97 })
  free_evals_remaining!: number;

  @Flag('Whether a payment method is on file.')
  has_payment_method!: boolean;

  @Part(PricingDto, 'How evals are charged.')
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
