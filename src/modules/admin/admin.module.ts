import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module';
import { AuthModule } from '../auth/auth.module';
import { BillingModule } from '../billing/billing.module';
import { AdminController } from './admin.controller';
import { AuditController } from './audit.controller';

@Module({ imports: [AuthModule, BillingModule, AuditModule], controllers: [AdminController, AuditController] })
export class AdminModule {}
