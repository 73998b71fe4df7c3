import { Controller, Post, Req } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { RequiresScope, type AuthenticatedRequest } from '../auth/auth.decorators';
import { ApiResponses } from '../../platform/http/api-responses.decorator';
import { PaymentMethodDto } from './payment-method.dto';
import { PaymentProvider } from './payment-provider';

@ApiTags('billing')
@Controller('billing')
export class PaymentMethodController {
  constructor(private readonly payments: PaymentProvider) {}

  @Post('payment-method')
  @RequiresScope('compare')
  @ApiOperation({
    operationId: 'billing_addPaymentMethod',
    summary: 'Leave a payment method',
    description:
      "Gives the address of a page of the payment provider's on which the user leaves one. It counts as soon as the provider has confirmed it to this service.",
  })
  @ApiResponses(PaymentMethodDto, {
    status: 201,
    errors: ['invalid_json', 'insufficient_scope', 'payment_provider_not_configured'],
  })
  async create(@Req() { caller }: AuthenticatedRequest): Promise<PaymentMethodDto> {
    return { url: await this.payments.paymentMethodUrl(caller) };
  }
}
