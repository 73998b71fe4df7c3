import { Module } from '@nestjs/common';
import { EvalsModule } from '../evals/evals.module';
import { ModelsModule } from '../models/models.module';
import { ComparisonsService } from './comparisons.service';
import { DriftController } from './drift.controller';
import { DriftService } from './drift.service';
import { EvalStatisticsService } from './eval-statistics.service';
import { EvalController } from './eval.controller';
import { ProjectionController } from './projection.controller';
import { ProjectionService } from './projection.service';

/** Computes on stored evals: statistics, agreement, drift and projected cost. */
@Module({
  imports: [EvalsModule, ModelsModule],
  controllers: [EvalController, DriftController, ProjectionController],
  providers: [ComparisonsService, EvalStatisticsService, DriftService, ProjectionService],
  exports: [ComparisonsService, EvalStatisticsService],
})
export class AnalysisModule {}
