import type { Money } from '../../../common/money';
import type { Estimate, ModelEstimate, Range } from './estimate.service';
import { Decimal, Flag, Integer, ModelId, Part, Parts, Schema, Text } from '../../../platform/http/answer.decorators';

@Schema('A range of amounts in USD.', 'AmountRange')
class RangeDto {
  @Decimal(
    'Minimum in USD at list prices: the estimated prompt at the cached rate and one output token. A vendor that states a lower cost, or lets a cheaper model answer, may cost less.',
  )
  least!: Money;

  @Decimal('Maximum in USD; never exceeded.')
  most!: Money;

  static from({ min, max }: Range): RangeDto {
    return { least: min, most: max };
  }
}

@Schema('The estimated cost of one model.')
class ModelEstimateDto {
  @ModelId()
  model!: string;

  @Text('Provider label of the model.', { example: 'simulator' })
  provider!: string;

  @Integer('Input tokens by our own tokenizer; vendors may count slightly differently.')
  estimated_input_tokens!: number;

  @Integer('Maximum output tokens that would be requested, room for thought included.')
  max_output_tokens!: number;

  @Part(RangeDto, 'Vendor cost, of all samples.')
  cost_usd!: RangeDto;

  @Part(RangeDto, 'Charge to the user.')
  charge_usd!: RangeDto;

  static from(estimate: ModelEstimate): ModelEstimateDto {
    return {
      model: estimate.model,
      provider: estimate.provider,
      estimated_input_tokens: estimate.inputTokens,
      max_output_tokens: estimate.maxTokens,
      cost_usd: RangeDto.from(estimate.cost),
      charge_usd: RangeDto.from(estimate.charge),
    };
  }
}

@Schema('The estimated cost of a compare.')
export class EstimateDto {
  @Parts(ModelEstimateDto, 'In request order.')
  models!: ModelEstimateDto[];

  @Part(RangeDto, 'Total vendor cost.')
  cost_usd!: RangeDto;

  @Part(RangeDto, 'Total charge to the user; zero when the eval would be free.')
  charge_usd!: RangeDto;

  @Flag("Whether the eval would use one of the month's free evals.")
  free!: boolean;

  @Integer('Free evals remaining this month.')
  free_evals_remaining!: number;

  static from(estimate: Estimate): EstimateDto {
    return {
      models: estimate.models.map((model) => ModelEstimateDto.from(model)),
      cost_usd: RangeDto.from(estimate.cost),
      charge_usd: RangeDto.from(estimate.charge),
      free: estimate.isFree,
      free_evals_remaining: estimate.freeEvalsRemaining,
    };
  }
}
