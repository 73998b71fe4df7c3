import { Injectable } from '@nestjs/common';
import { ApiError } from '../common/errors';
import { Payments } from './payments';

/** No payment provider: the operator notes payment methods through PATCH /admin/users/:id. */
@Injectable()
export class ManualPayments extends Payments {
  async paymentMethodUrl(): Promise<string> {
    throw new ApiError('payments_off');
  }
}
