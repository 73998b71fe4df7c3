import { ApiProperty, ApiSchema } from '@nestjs/swagger';

/** Answer of POST /billing/payment-method. */
@ApiSchema({ name: 'PaymentMethodPage', description: 'Where to leave a payment method.' })
export class PaymentMethodDto {
  @ApiProperty({
    format: 'uri',
    description: "A page of the payment provider's; valid for a day.",
    example: 'https://checkout.stripe.com/c/pay/cs_test_a1b2c3',
  })
  url!: string;
}
