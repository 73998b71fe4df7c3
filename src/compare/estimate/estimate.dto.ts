import { ApiProperty } from '@nestjs/swagger';
import type { Money } from '../../common/money';
import type { Estimate, ModelEstimate, Range } from './estimate.service';

class RangeDto {
  @ApiProperty({ type: 'number', description: 'Least, in USD: the prompt as estimated, cached, and one token of output.', example: 0.0000021 })
  least!: Money;

  @ApiProperty({ type: 'number', description: 'Most, in USD: never exceeded.', example: 0.000341 })
  most!: Money;

  static from({ least, most }: Range): RangeDto {
    return { least, most };
  }
}

class ModelEstimateDto {
  @ApiProperty({ example: 'sim-swift' })
  model!: string;

  @ApiProperty({ example: 'simulator' })
  provider!: string;

  @ApiProperty({ type: 'integer', description: 'Input tokens by our own count; vendors count a little differently.', example: 7 })
  estimated_input_tokens!: number;

  @ApiProperty({ type: 'integer', description: 'Most output tokens that will be asked for.', example: 500 })
  max_output_tokens!: number;

  @ApiProperty({ type: RangeDto, description: 'What the vendor would charge us.' })
  cost_usd!: RangeDto;

  @ApiProperty({ type: RangeDto, description: 'What the user would be charged.' })
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

/** Answer of POST /compare/estimate. */
export class EstimateDto {
  @ApiProperty({ type: [ModelEstimateDto], description: 'In request order.' })
  models!: ModelEstimateDto[];

  @ApiProperty({ type: RangeDto, description: 'What the vendors would charge us, all models together.' })
  cost_usd!: RangeDto;

  @ApiProperty({ type: RangeDto, description: 'What the user would be charged: zero when free.' })
  charge_usd!: RangeDto;

  @ApiProperty({ description: "Whether it would use one of the month's free evals." })
  free!: boolean;

  @ApiProperty({ type: 'integer', description: 'Free evals left in this month.', example: 97 })
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
