import { Module } from '@nestjs/common';
import { ModelsModule } from '../models/models.module';
import { ProvidersModule } from '../providers/providers.module';
import { ActiveReservationsService } from './active-reservations.service';
import { BillingService } from './billing.service';
import { LedgerModule } from './ledger.module';
import { ReservationCleanupService } from './reservation-cleanup.service';
import { ReservationsRepository } from './reservations.repository';
import { TokenUsageService } from './token-usage.service';

@Module({
  imports: [LedgerModule, ModelsModule, ProvidersModule],
  providers: [ReservationsRepository, ActiveReservationsService, BillingService, ReservationCleanupService, TokenUsageService],
  exports: [BillingService, LedgerModule, TokenUsageService],
})
export class BillingModule {}
