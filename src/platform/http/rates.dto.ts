import type { Money } from '../../common/money';
import { Decimal, Schema } from './answer.decorators';

@Schema('USD per million tokens, by kind of token.')
export class RatesDto {
  @Decimal('Input tokens.')
  input_per_1m!: Money;

  @Decimal("Input tokens read from the vendor's cache.")
  cached_input_per_1m!: Money;

  @Decimal("Input tokens written to the vendor's cache.")
  cache_write_per_1m!: Money;

  @Decimal('Output tokens.')
  output_per_1m!: Money;
}
