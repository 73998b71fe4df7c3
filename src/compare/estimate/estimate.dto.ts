import { ApiProperty } from '@nestjs/swagger';
import type { Money } from '../../common/money';
import type { Estimate, ModelEstimate, Range } from './estimate.service';

class RangeDto {
  @ApiProperty({ type: 'number', description: 'Minimum in USD: the estimated prompt at the cached rate and one output token.', example: 0.0000021 })
  least!: Money;

  @ApiProperty({ type: 'number', description: 'Maximum in USD; never exceeded.', example: 0.000341 })
  most!: Money;

  static from({ min, max }: Range): RangeDto {
    return { least: min, most: max };
  }
}

class ModelEstimateDto {
  @ApiProperty({ example: 'sim-swift' })
  model!: string;

  @ApiProperty({ example: 'simulator' })
  provider!: string;

  @ApiProperty({ type: 'integer', description: 'Input tokens by our own tokenizer; vendors may count slightly differently.', example: 7 })
  estimated_input_tokens!: number;

  @ApiProperty({ type: 'integer', description: 'Maximum output tokens that would be requested.', example: 500 })
  max_output_tokens!: number;

  @ApiProperty({ type: RangeDto, description: 'Vendor cost.' })
  cost_usd!: RangeDto;

  @ApiProperty({ type: RangeDto, description: 'Charge to the user.' })
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

/** Response body of POST /compare/estimate. */
export class EstimateDto {
  @ApiProperty({ type: [ModelEstimateDto], description: 'In request order.' })
  models!: ModelEstimateDto[];

  @ApiProperty({ type: RangeDto, description: 'Total vendor cost.' })
  cost_usd!: RangeDto;

  @ApiProperty({ type: RangeDto, description: 'Total charge to the user; zero when the eval would be free.' })
  charge_usd!: RangeDto;

  @ApiProperty({ description: "Whether the eval would use one of the month's free evals." })
  free!: boolean;

  @ApiProperty({ type: 'integer', description: 'Free evals remaining this month.', example: 97 })
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
