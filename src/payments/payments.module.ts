import { Module, type DynamicModule } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import type { Config } from '../common/config';
import { ManualPayments } from './manual-payments.service';
import { MeterEventsRepository } from './meter-events.repository';
import { MeterOutbox } from './meter-outbox.service';
import { PaymentCustomersRepository } from './payment-customers.repository';
import { PaymentMethodController } from './payment-method.controller';
import { Payments } from './payments';
import { StripePayments } from './stripe-payments.service';
import { StripeWebhookController } from './stripe-webhook.controller';
import { StripeApi } from './stripe.service';

/** Payment methods and the way of charges to the payment provider; without a key of Stripe there is neither webhook nor outbox. */
@Module({})
export class PaymentsModule {
  static with({ payments }: Config): DynamicModule {
    if (payments === 'manual') {
      return { module: PaymentsModule, controllers: [PaymentMethodController], providers: [{ provide: Payments, useClass: ManualPayments }] };
    }
    return {
      module: PaymentsModule,
      imports: [AuthModule],
      controllers: [PaymentMethodController, StripeWebhookController],
      providers: [StripeApi, PaymentCustomersRepository, MeterEventsRepository, MeterOutbox, StripePayments, { provide: Payments, useExisting: StripePayments }],
    };
  }
}
