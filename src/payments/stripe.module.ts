import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { MeterEventsRepository } from './meter-events.repository';
import { MeterOutbox } from './meter-outbox.service';
import { PaymentCustomersRepository } from './payment-customers.repository';
import { PaymentMethodController } from './payment-method.controller';
import { Payments } from './payments';
import { StripeEventsPurge } from './stripe-events-purge.service';
import { StripePayments } from './stripe-payments.service';
import { StripeWebhookController } from './stripe-webhook.controller';
import { StripeApi } from './stripe.service';

/** Payment methods and the way of charges to Stripe. */
@Module({
  imports: [AuthModule],
  controllers: [PaymentMethodController, StripeWebhookController],
  providers: [StripeApi, PaymentCustomersRepository, MeterEventsRepository, MeterOutbox, StripeEventsPurge, StripePayments, { provide: Payments, useExisting: StripePayments }],
})
export class StripeModule {}
