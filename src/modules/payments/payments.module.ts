import { Module, type Type } from '@nestjs/common';
import { ApiError } from '../../common/errors';
import type { Config } from '../../platform/config/config';
import { MeterEventsModule } from './meter-events.module';
import { PaymentMethodController } from './payment-method.controller';
import { PaymentProvider } from './payment-provider';

/** No payment provider: payment methods are recorded by an admin through PATCH /admin/users/:id. */
const MANUAL_PAYMENTS: PaymentProvider = {
  paymentMethodUrl: () => Promise.reject(new ApiError('payment_provider_not_configured')),
};

/** Payment methods as the operator notes them: without a key of Stripe there is neither webhook nor outbox. */
@Module({
  imports: [MeterEventsModule],
  controllers: [PaymentMethodController],
  providers: [{ provide: PaymentProvider, useValue: MANUAL_PAYMENTS }],
})
export class PaymentsModule {
  static async register({ payments }: Config): Promise<Type> {
    // Loaded only where it is used, because of the memory that Stripe's SDK takes.
    return payments === 'manual' ? PaymentsModule : (await import('./stripe.module.js')).StripeModule;
  }
}
