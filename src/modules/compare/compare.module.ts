import { Module } from '@nestjs/common';
import { AnalysisModule } from '../analysis/analysis.module';
import { AuthModule } from '../auth/auth.module';
import { BillingModule } from '../billing/billing.module';
import { EvalsModule } from '../evals/evals.module';
import { ExecutionModule } from '../execution/execution.module';
import { ProvidersModule } from '../providers/providers.module';
import { RateLimitingModule } from '../../platform/rate-limiting/rate-limiting.module';
import { RunsModule } from '../runs/runs.module';
import { CompareResponsesService } from './compare-responses.service';
import { CompareController } from './compare.controller';
import { EstimateController } from './estimate/estimate.controller';
import { EstimateService } from './estimate/estimate.service';
import { RerunController } from './rerun.controller';
import { RunController } from './run.controller';
import { RunResponsesService } from './run-responses.service';
import { EventStreamsService } from './stream/event-streams.service';

/** The endpoints that compare, estimate and run again. */
@Module({
  imports: [
    AnalysisModule,
    AuthModule,
    BillingModule,
    EvalsModule,
    ExecutionModule,
    ProvidersModule,
    RateLimitingModule,
    RunsModule,
  ],
  controllers: [CompareController, EstimateController, RerunController, RunController],
  exports: [EstimateService],
  providers: [CompareResponsesService, EstimateService, EventStreamsService, RunResponsesService],
})
export class CompareModule {}
