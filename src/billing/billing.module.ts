import { Module } from '@nestjs/common';
import { ModelsModule } from '../models/models.module';
import { ActiveReservationsService } from './active-reservations.service';
import { BillingService } from './billing.service';
import { IdempotencyKeyCleanupService } from './idempotency-key-cleanup.service';
import { LedgerModule } from './ledger.module';
import { ReservationCleanupService } from './reservation-cleanup.service';
import { ReservationsRepository } from './reservations.repository';

@Module({
  imports: [LedgerModule, ModelsModule],
  providers: [ReservationsRepository, ActiveReservationsService, BillingService, IdempotencyKeyCleanupService, ReservationCleanupService],
  exports: [BillingService, LedgerModule],
})
export class BillingModule {}
