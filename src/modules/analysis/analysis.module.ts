import { Module } from '@nestjs/common';
import { EvalsModule } from '../evals/evals.module';
import { ModelsModule } from '../models/models.module';
import { ComparisonsService } from './comparisons.service';
import { DriftService } from './drift.service';
import { EvalStatisticsService } from './eval-statistics.service';
import { EvalController } from './eval.controller';

@Module({
  imports: [EvalsModule, ModelsModule],
  controllers: [EvalController],
  providers: [ComparisonsService, EvalStatisticsService, DriftService],
  exports: [ComparisonsService, EvalStatisticsService],
})
export class AnalysisModule {}
