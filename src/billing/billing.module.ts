import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module';
import { ModelsModule } from '../models/models.module';
import { BillingService } from './billing.service';
import { ChargesRepository } from './charges.repository';
import { IdempotencyKeyCleanupService } from './idempotency-key-cleanup.service';
import { LedgerService } from './ledger.service';
import { ReservationCleanupService } from './reservation-cleanup.service';
import { ReservationsRepository } from './reservations.repository';

@Module({
  imports: [ModelsModule, AuditModule],
  providers: [ReservationsRepository, ChargesRepository, BillingService, LedgerService, IdempotencyKeyCleanupService, ReservationCleanupService],
  exports: [BillingService, LedgerService],
})
export class BillingModule {}
