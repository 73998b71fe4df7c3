import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module';
import { ModelsModule } from '../models/models.module';
import { BillingService } from './billing.service';
import { ChargesRepository } from './charges.repository';
import { IdempotencyPurge } from './idempotency-purge.service';
import { LedgerService } from './ledger.service';
import { ReservationsRepository } from './reservations.repository';

@Module({
  imports: [ModelsModule, AuditModule],
  providers: [ReservationsRepository, ChargesRepository, BillingService, LedgerService, IdempotencyPurge],
  exports: [BillingService, LedgerService],
})
export class BillingModule {}
