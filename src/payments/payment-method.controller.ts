import { Controller, Post, Req } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { RequiresScope, type UserRequest } from '../auth/auth.decorators';
import { ApiAnswers } from '../common/api-answers.decorator';
import { PaymentMethodDto } from './payment-method.dto';
import { Payments } from './payments';

@ApiTags('billing')
@Controller('billing')
export class PaymentMethodController {
  constructor(private readonly payments: Payments) {}

  @Post('payment-method')
  @RequiresScope('compare')
  @ApiOperation({
    summary: 'Leave a payment method',
    description: "Gives the address of a page of the payment provider's on which the user leaves one. It counts as soon as the provider has confirmed it to this service.",
  })
  @ApiAnswers(PaymentMethodDto, { status: 201, errors: ['invalid_json', 'insufficient_scope', 'payments_off'] })
  async create(@Req() { caller }: UserRequest): Promise<PaymentMethodDto> {
    return { url: await this.payments.paymentMethodUrl(caller) };
  }
}
