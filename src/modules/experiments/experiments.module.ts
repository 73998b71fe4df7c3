import { Module, type OnModuleInit } from '@nestjs/common';
import { AnalysisModule } from '../analysis/analysis.module';
import { AuditModule } from '../audit/audit.module';
import { AuthModule } from '../auth/auth.module';
import { BillingModule } from '../billing/billing.module';
import { CompareModule } from '../compare/compare.module';
import { DatasetsModule } from '../datasets/datasets.module';
import { EvalsModule } from '../evals/evals.module';
import { EvalsService } from '../evals/evals.service';
import { ExecutionModule } from '../execution/execution.module';
import { ModelsModule } from '../models/models.module';
import { RateLimitingModule } from '../../platform/rate-limiting/rate-limiting.module';
import { JobWorkerService } from '../runs/job-worker.service';
import { RunsModule } from '../runs/runs.module';
import { ChangeExperimentService } from './change-experiment.service';
import { SchedulerService } from './scheduling/scheduler.service';
import { PricedRowsService } from './scheduling/priced-rows.service';
import { RowAttemptService } from './scheduling/row-attempt.service';
import { RowEndsService } from './scheduling/row-ends.service';
import { RowsRepository } from './scheduling/rows.repository';
import { DecisionsService } from './decision/decisions.service';
import { ExperimentErasureService } from './erasure/experiment-erasure.service';
import { EstimateExperimentService } from './estimate-experiment.service';
import { ExamineExperimentService } from './examine-experiment.service';
import { ExperimentCountsService } from './experiment-counts.service';
import { ExperimentResultsController } from './experiment-results.controller';
import { ExperimentController } from './experiment.controller';
import { ExperimentsController } from './experiments.controller';
import { ExperimentsRepository } from './experiments.repository';
import { ExperimentsService } from './experiments.service';
import { JudgeCommandService } from './judge/judge-command.service';
import { JudgesRepository } from './judge/judges.repository';
import { VerdictsService } from './judge/verdicts.service';
import { JudgedRowsService } from './judge/judged-rows.service';
import { ReportsService } from './report/reports.service';
import { SummaryTasksService } from './summary/summary-tasks.service';
import { SummariesService } from './summary/summaries.service';
import { VotesController } from './votes/votes.controller';
import { VotesRepository } from './votes/votes.repository';
import { VotesService } from './votes/votes.service';

/** Experiments: they schedule the rows of data sets to the workers of runs, under a cap of cost. */
@Module({
  imports: [
    AnalysisModule,
    AuditModule,
    AuthModule,
    BillingModule,
    CompareModule,
    DatasetsModule,
    EvalsModule,
    ExecutionModule,
    ModelsModule,
    RateLimitingModule,
    RunsModule,
  ],
  controllers: [ExperimentsController, ExperimentController, ExperimentResultsController, VotesController],
  providers: [
    ChangeExperimentService,
    DecisionsService,
    SchedulerService,
    EstimateExperimentService,
    ExamineExperimentService,
    ExperimentCountsService,
    ExperimentErasureService,
    ExperimentsRepository,
    ExperimentsService,
    JudgeCommandService,
    JudgedRowsService,
    JudgesRepository,
    VerdictsService,
    PricedRowsService,
    ReportsService,
    RowAttemptService,
    RowEndsService,
    RowsRepository,
    SummariesService,
    SummaryTasksService,
    VotesRepository,
    VotesService,
  ],
  exports: [ReportsService, VotesService],
})
export class ExperimentsModule implements OnModuleInit {
  constructor(
    private readonly worker: JobWorkerService,
    private readonly scheduler: SchedulerService,
    private readonly evals: EvalsService,
    private readonly experiments: ExperimentsService,
  ) {}

  onModuleInit(): void {
    this.worker.addSource(this.scheduler);
    this.evals.experiments.register((caller, id) => this.experiments.find(caller, id));
  }
}
