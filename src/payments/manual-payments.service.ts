import { Injectable } from '@nestjs/common';
import { ApiError } from '../common/errors';
import { PaymentProvider } from './payment-provider';

/** No payment provider: the operator notes payment methods through PATCH /admin/users/:id. */
@Injectable()
export class ManualPaymentsService extends PaymentProvider {
  async paymentMethodUrl(): Promise<string> {
    throw new ApiError('payment_provider_not_configured');
  }
}
