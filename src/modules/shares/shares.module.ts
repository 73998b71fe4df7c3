import { Module } from '@nestjs/common';
import { AnalysisModule } from '../analysis/analysis.module';
import { AuditModule } from '../audit/audit.module';
import { EvalsModule } from '../evals/evals.module';
import { ExperimentsModule } from '../experiments/experiments.module';
import { RateLimitingModule } from '../../platform/rate-limiting/rate-limiting.module';
import { SharedController } from './shared.controller';
import { SharedEvalsService } from './shared-evals.service';
import { SharedVotesController } from './shared-votes.controller';
import { SharedVotesService } from './shared-votes.service';
import { SharesController } from './shares.controller';
import { SharesRepository } from './shares.repository';
import { SharesService } from './shares.service';

@Module({
  imports: [AuditModule, AnalysisModule, EvalsModule, ExperimentsModule, RateLimitingModule],
  controllers: [SharesController, SharedController, SharedVotesController],
  providers: [SharesRepository, SharesService, SharedEvalsService, SharedVotesService],
})
export class SharesModule {}
