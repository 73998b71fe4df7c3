import { Schema, Text } from '../../platform/http/answer.decorators';

@Schema('Where to leave a payment method.', 'PaymentMethodPage')
export class PaymentMethodDto {
  @Text("A page of the payment provider's; valid for a day.", {
    format: 'uri',
    example: 'https://checkout.stripe.com/c/pay/cs_test_a1b2c3',
  })
  url!: string;
}
