import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { BillingModule } from '../billing/billing.module';
import { MeterEventsModule } from './meter-events.module';
import { MeterOutboxService } from './meter-outbox.service';
import { PaymentCustomersRepository } from './payment-customers.repository';
import { PaymentMethodController } from './payment-method.controller';
import { PaymentProvider } from './payment-provider';
import { StripePaymentsService } from './stripe-payments.service';
import { StripeWebhookController } from './stripe-webhook.controller';
import { StripeService } from './stripe.service';

@Module({
  imports: [AuthModule, BillingModule, MeterEventsModule],
  controllers: [PaymentMethodController, StripeWebhookController],
  providers: [
    StripeService,
    PaymentCustomersRepository,
    MeterOutboxService,
    StripePaymentsService,
    { provide: PaymentProvider, useExisting: StripePaymentsService },
  ],
})
export class StripeModule {}
