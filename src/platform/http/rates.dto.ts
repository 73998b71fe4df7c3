import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import type { Money } from '../../common/money';

/** USD per million tokens, by kind of token. */
@ApiSchema({ name: 'Rates', description: 'USD per million tokens, by kind of token.' })
export class RatesDto {
  @ApiProperty({ type: 'number', description: 'Input tokens.' })
  input_per_1m!: Money;

  @ApiProperty({ type: 'number', description: "Input tokens read from the vendor's cache." })
  cached_input_per_1m!: Money;

  @ApiProperty({ type: 'number', description: "Input tokens written to the vendor's cache." })
  cache_write_per_1m!: Money;

  @ApiProperty({ type: 'number', description: 'Output tokens.' })
  output_per_1m!: Money;
}
