import { Injectable } from '@nestjs/common';
import { ApiError } from '../../common/errors';
import { PaymentProvider } from './payment-provider';

/** No payment provider: payment methods are recorded by an admin through PATCH /admin/users/:id. */
@Injectable()
export class ManualPaymentsService extends PaymentProvider {
  async paymentMethodUrl(): Promise<string> {
    throw new ApiError('payment_provider_not_configured');
  }
}
