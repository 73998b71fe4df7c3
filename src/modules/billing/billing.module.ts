import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module';
import { ModelsModule } from '../models/models.module';
import { ProvidersModule } from '../providers/providers.module';
import { ActiveReservationsService } from './active-reservations.service';
import { BillingService } from './billing.service';
import { ChargesRepository } from './charges.repository';
import { LedgerService } from './ledger.service';
import { ReservationsRepository } from './reservations.repository';
import { TokenUsageService } from './token-usage.service';

@Module({
  imports: [AuditModule, ModelsModule, ProvidersModule],
  providers: [
    ChargesRepository,
    LedgerService,
    ReservationsRepository,
    ActiveReservationsService,
    BillingService,
    TokenUsageService,
  ],
  exports: [BillingService, ChargesRepository, LedgerService, TokenUsageService],
})
export class BillingModule {}
