import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module';
import { AuthModule } from '../auth/auth.module';
import { BillingModule } from '../billing/billing.module';
import { AdminController } from './admin.controller';

@Module({ imports: [AuthModule, BillingModule, AuditModule], controllers: [AdminController] })
export class AdminModule {}
