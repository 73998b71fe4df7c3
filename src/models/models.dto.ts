import { ApiProperty } from '@nestjs/swagger';
import type { Money } from '../common/money';
import type { PricedModel } from './models.service';

/** A model that can be called, with its prices now. */
export class ModelDto {
  @ApiProperty({ description: 'Model ID, used in the models array of a comparison request.', example: 'sim-swift' })
  id!: string;

  @ApiProperty({ description: 'Display name.', example: 'Simulated Swift' })
  name!: string;

  @ApiProperty({ description: 'Provider label.', example: 'simulator' })
  provider!: string;

  @ApiProperty({ type: 'number', description: 'Price of one million input tokens in USD, exact.', example: 0.15 })
  input_per_1m!: Money;

  @ApiProperty({ type: 'number', description: 'Price of one million output tokens in USD, exact.', example: 0.6 })
  output_per_1m!: Money;

  static from({ model, price }: PricedModel): ModelDto {
    return { id: model.id, name: model.name, provider: model.provider, input_per_1m: price.input, output_per_1m: price.output };
  }
}

/** Answer of GET /models. */
export class ModelListDto {
  @ApiProperty({ type: [ModelDto], description: 'Sorted by provider, then id.' })
  models!: ModelDto[];
}
