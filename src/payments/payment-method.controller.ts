import { Controller, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, RequiresScope } from '../auth/auth.decorators';
import type { Caller } from '../auth/caller';
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
  async create(@CurrentCaller() caller: Caller): Promise<PaymentMethodDto> {
    return { url: await this.payments.paymentMethodUrl(caller) };
  }
}
