import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { BillingModule } from '../billing/billing.module';
import { EvalsModule } from '../evals/evals.module';
import { ModelsModule } from '../models/models.module';
import { ProvidersModule } from '../providers/providers.module';
import { Admission } from './admission.service';
import { CompareController } from './compare.controller';
import { CompareService } from './compare.service';
import { EstimateService } from './estimate.service';
import { FanOut } from './fan-out.service';
import { ModelCall } from './model-call.service';
import { SettlementBreakerService } from './settlement-breaker.service';
import { SettlementRetry } from './settlement-retry.service';
import { Settlement } from './settlement.service';
import { TokenCounterService } from './token-counter.service';
import { UsageService } from './usage.service';

@Module({
  imports: [AuthModule, BillingModule, EvalsModule, ModelsModule, ProvidersModule],
  controllers: [CompareController],
  providers: [Admission, CompareService, EstimateService, FanOut, ModelCall, Settlement, SettlementBreakerService, SettlementRetry, TokenCounterService, UsageService],
  exports: [Settlement],
})
export class CompareModule {}
