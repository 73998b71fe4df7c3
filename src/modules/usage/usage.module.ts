import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { BillingModule } from '../billing/billing.module';
import { KeyController } from './key.controller';
import { UsageController } from './usage.controller';

@Module({ imports: [AuthModule, BillingModule], controllers: [KeyController, UsageController] })
export class UsageModule {}
