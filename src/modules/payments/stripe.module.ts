import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { BillingModule } from '../billing/billing.module';
import { MeterEventCountsService } from './meter-event-counts.service';
import { MeterEventsModule } from './meter-events.module';
import { MeterOutboxService } from './meter-outbox.service';
import { PaymentCustomersRepository } from './payment-customers.repository';
import { PaymentCustomersService } from './payment-customers.service';
import { PaymentMethodController } from './payment-method.controller';
import { PaymentProvider } from './payment-provider';
import { StripePaymentsService } from './stripe-payments.service';
import { StripeWebhookController } from './stripe-webhook.controller';
import { StripeService } from './stripe.service';

/** Payment methods and the way of charges to Stripe. */
@Module({
  imports: [AuthModule, BillingModule, MeterEventsModule],
  controllers: [PaymentMethodController, StripeWebhookController],
  providers: [
    StripeService,
    PaymentCustomersRepository,
    PaymentCustomersService,
    MeterEventCountsService,
    MeterOutboxService,
    StripePaymentsService,
    { provide: PaymentProvider, useExisting: StripePaymentsService },
  ],
})
export class StripeModule {}
