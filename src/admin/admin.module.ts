import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { BillingModule } from '../billing/billing.module';
import { AdminController } from './admin.controller';

@Module({ imports: [AuthModule, BillingModule], controllers: [AdminController] })
export class AdminModule {}
