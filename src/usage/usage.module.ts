import { Module } from '@nestjs/common';
import { BillingModule } from '../billing/billing.module';
import { UsageController } from './usage.controller';

@Module({ imports: [BillingModule], controllers: [UsageController] })
export class UsageModule {}
