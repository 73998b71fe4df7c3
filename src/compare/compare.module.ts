import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { BillingModule } from '../billing/billing.module';
import { EvalsModule } from '../evals/evals.module';
import { ModelsModule } from '../models/models.module';
import { ProvidersModule } from '../providers/providers.module';
import { RateLimitingModule } from '../rate-limiting/rate-limiting.module';
import { AdmissionService } from './admission.service';
import { CompareController } from './compare.controller';
import { CompareService } from './compare.service';
import { EstimateController } from './estimate/estimate.controller';
import { EstimateService } from './estimate/estimate.service';
import { FanOutService } from './fan-out.service';
import { OverloadService } from './overload.service';
import { PromptLogService } from './prompt-log.service';
import { RoundsService } from './rounds.service';
import { RunningComparesService } from './running-compares.service';
import { SettlementBreakerService } from './settlement/settlement-breaker.service';
import { SettlementRetryService } from './settlement/settlement-retry.service';
import { SettlementRepository } from './settlement/settlement.repository';
import { SettlementService } from './settlement/settlement.service';
import { EventStreamsService } from './stream/event-streams.service';
import { TokenUsageService } from './token-usage.service';

@Module({
  imports: [AuthModule, RateLimitingModule, BillingModule, EvalsModule, ModelsModule, ProvidersModule],
  controllers: [CompareController, EstimateController],
  providers: [AdmissionService, CompareService, EstimateService, EventStreamsService, FanOutService, OverloadService, PromptLogService, RoundsService, SettlementRepository, RunningComparesService, SettlementService, SettlementBreakerService, SettlementRetryService, TokenUsageService],
  exports: [SettlementService],
})
export class CompareModule {}
