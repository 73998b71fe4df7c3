import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module';
import { AuthModule } from '../auth/auth.module';
import { BillingModule } from '../billing/billing.module';
import { CompareModule } from '../compare/compare.module';
import { DatasetsModule } from '../datasets/datasets.module';
import { EvalsModule } from '../evals/evals.module';
import { ExecutionModule } from '../execution/execution.module';
import { ModelsModule } from '../models/models.module';
import { RateLimitingModule } from '../rate-limiting/rate-limiting.module';
import { RunsModule } from '../runs/runs.module';
import { DealerService } from './dealing/dealer.service';
import { RowAttemptService } from './dealing/row-attempt.service';
import { RowsRepository } from './dealing/rows.repository';
import { ExperimentErasureRepository } from './erasure/experiment-erasure.repository';
import { ExperimentErasureService } from './erasure/experiment-erasure.service';
import { EstimateExperimentService } from './estimate-experiment.service';
import { ExperimentCountsService } from './experiment-counts.service';
import { ExperimentsController } from './experiments.controller';
import { ExperimentsRepository } from './experiments.repository';
import { ExperimentsService } from './experiments.service';
import { ExperimentRowsController } from './rows/experiment-rows.controller';
import { ExperimentRowsRepository } from './rows/experiment-rows.repository';
import { ExperimentRowsService } from './rows/experiment-rows.service';

/** Experiments: they deal the rows of data sets to the workers of runs, under a cap of cost. */
@Module({
  imports: [AuditModule, AuthModule, BillingModule, CompareModule, DatasetsModule, EvalsModule, ExecutionModule, ModelsModule, RateLimitingModule, RunsModule],
  controllers: [ExperimentsController, ExperimentRowsController],
  providers: [DealerService, EstimateExperimentService, ExperimentCountsService, ExperimentErasureRepository, ExperimentErasureService, ExperimentRowsRepository, ExperimentRowsService, ExperimentsRepository, ExperimentsService, RowAttemptService, RowsRepository],
})
export class ExperimentsModule {}
