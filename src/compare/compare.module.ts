import { Module } from '@nestjs/common';
import { AnalysisModule } from '../analysis/analysis.module';
import { AuthModule } from '../auth/auth.module';
import { BillingModule } from '../billing/billing.module';
import { ChecksModule } from '../checks/checks.module';
import { EvalsModule } from '../evals/evals.module';
import { ModelsModule } from '../models/models.module';
import { ProvidersModule } from '../providers/providers.module';
import { RateLimitingModule } from '../rate-limiting/rate-limiting.module';
import { AdmissionService } from './admission.service';
import { CompareResponsesService } from './compare-responses.service';
import { CompareController } from './compare.controller';
import { CompareService } from './compare.service';
import { EstimateController } from './estimate/estimate.controller';
import { EstimateService } from './estimate/estimate.service';
import { FanOutService } from './fan-out.service';
import { LimitedCompareService } from './limited-compare.service';
import { OverloadService } from './overload.service';
import { PromptLogService } from './prompt-log.service';
import { RerunController } from './rerun.controller';
import { RerunService } from './rerun.service';
import { RoundsService } from './rounds.service';
import { RunningComparesService } from './running-compares.service';
import { ReplaysService } from './runs/replays.service';
import { RunCleanupService } from './runs/run-cleanup.service';
import { RunEndingsService } from './runs/run-endings.service';
import { RunEngineService } from './runs/run-engine.service';
import { RunExecutionService } from './runs/run-execution.service';
import { RunQueueService } from './runs/run-queue.service';
import { RunResponsesService } from './runs/run-responses.service';
import { RunWaitService } from './runs/run-wait.service';
import { RunsController } from './runs/runs.controller';
import { RunsRepository } from './runs/runs.repository';
import { RunsService } from './runs/runs.service';
import { SettlementBreakerService } from './settlement/settlement-breaker.service';
import { SettlementRetryService } from './settlement/settlement-retry.service';
import { SettlementRepository } from './settlement/settlement.repository';
import { SettlementService } from './settlement/settlement.service';
import { EventStreamsService } from './stream/event-streams.service';
import { TokenUsageService } from './token-usage.service';

@Module({
  imports: [AuthModule, RateLimitingModule, BillingModule, ChecksModule, EvalsModule, AnalysisModule, ModelsModule, ProvidersModule],
  controllers: [CompareController, EstimateController, RerunController, RunsController],
  providers: [
    AdmissionService, CompareResponsesService, CompareService, LimitedCompareService, EstimateService, EventStreamsService, FanOutService, OverloadService, PromptLogService, RoundsService, SettlementRepository, RunningComparesService, SettlementService, SettlementBreakerService, SettlementRetryService, TokenUsageService,
    RerunService, ReplaysService, RunCleanupService, RunEndingsService, RunEngineService, RunExecutionService, RunQueueService, RunResponsesService, RunsRepository, RunsService, RunWaitService,
  ],
  exports: [SettlementService],
})
export class CompareModule {}
