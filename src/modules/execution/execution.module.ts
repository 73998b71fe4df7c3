import { Module } from '@nestjs/common';
import { BillingModule } from '../billing/billing.module';
import { ChecksModule } from '../checks/checks.module';
import { EvalsModule } from '../evals/evals.module';
import { ModelsModule } from '../models/models.module';
import { ProvidersModule } from '../providers/providers.module';
import { ActiveComparesService } from './active-compares.service';
import { AdmissionService } from './admission.service';
import { CompareService } from './compare.service';
import { OverloadService } from './overload.service';
import { RoundsService } from './rounds.service';
import { SettlementRetryService } from './settlement/settlement-retry.service';
import { SettlementRepository } from './settlement/settlement.repository';
import { SettlementService } from './settlement/settlement.service';

/** The engine: runs a compare from its admission to its settlement. */
@Module({
  imports: [BillingModule, ChecksModule, EvalsModule, ModelsModule, ProvidersModule],
  providers: [
    ActiveComparesService,
    AdmissionService,
    CompareService,
    OverloadService,
    RoundsService,
    SettlementRepository,
    SettlementRetryService,
    SettlementService,
  ],
  exports: [ActiveComparesService, AdmissionService, CompareService, OverloadService, SettlementService],
})
export class ExecutionModule {}
