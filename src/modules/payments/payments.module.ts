import { Module, type Type } from '@nestjs/common';
import type { Config } from '../../platform/config/config';
import { ManualPaymentsService } from './manual-payments.service';
import { MeterEventsModule } from './meter-events.module';
import { PaymentMethodController } from './payment-method.controller';
import { PaymentProvider } from './payment-provider';

/** Payment methods as the operator notes them: without a key of Stripe there is neither webhook nor outbox. */
@Module({
  imports: [MeterEventsModule],
  controllers: [PaymentMethodController],
  providers: [{ provide: PaymentProvider, useClass: ManualPaymentsService }],
})
export class PaymentsModule {
  /** The module for the payments that are configured. */
  static async register({ payments }: Config): Promise<Type> {
    // Loaded only where it is used, because of the memory that Stripe's SDK takes.
    return payments === 'manual' ? PaymentsModule : (await import('./stripe.module.js')).StripeModule;
  }
}
