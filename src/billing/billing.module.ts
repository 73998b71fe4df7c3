import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module';
import { ModelsModule } from '../models/models.module';
import { ActiveReservationsService } from './active-reservations.service';
import { BillingService } from './billing.service';
import { ChargesRepository } from './charges.repository';
import { IdempotencyKeyCleanupService } from './idempotency-key-cleanup.service';
import { LedgerService } from './ledger.service';
import { ReservationCleanupService } from './reservation-cleanup.service';
import { ReservationsRepository } from './reservations.repository';

@Module({
  imports: [AuditModule, ModelsModule],
  providers: [ChargesRepository, LedgerService, ReservationsRepository, ActiveReservationsService, BillingService, IdempotencyKeyCleanupService, ReservationCleanupService],
  exports: [BillingService, ChargesRepository, LedgerService],
})
export class BillingModule {}
