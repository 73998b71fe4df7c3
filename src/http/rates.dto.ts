import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import type { Money } from '../common/money';

/** USD per million tokens, by kind of token. */
@ApiSchema({ name: 'Rates', description: 'USD per million tokens, by kind of token.' })
export class RatesDto {
  @ApiProperty({ type: 'number', description: 'Input tokens.', example: 0.15 })
  input_per_1m!: Money;

  @ApiProperty({ type: 'number', description: 'Input tokens read from the vendor\'s cache.', example: 0.075 })
  cached_input_per_1m!: Money;

  @ApiProperty({ type: 'number', description: 'Input tokens written to the vendor\'s cache.', example: 0.15 })
  cache_write_per_1m!: Money;

  @ApiProperty({ type: 'number', description: 'Output tokens.', example: 0.6 })
  output_per_1m!: Money;
}
