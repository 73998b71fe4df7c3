import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module';
import { ModelsModule } from '../models/models.module';
import { ComputationsService } from './computations.service';
import { DriftController } from './drift.controller';
import { DriftService } from './drift.service';
import { ErasureRepository } from './erasure.repository';
import { EvalSearchRepository } from './eval-search.repository';
import { EvalStatisticsService } from './eval-statistics.service';
import { EvalsController } from './evals.controller';
import { EvalsRepository } from './evals.repository';
import { EvalsService } from './evals.service';
import { ProjectionController } from './projection.controller';
import { ProjectionService } from './projection.service';
import { RetentionService } from './retention.service';

@Module({
  imports: [AuditModule, ModelsModule],
  controllers: [EvalsController, DriftController, ProjectionController],
  providers: [ComputationsService, EvalsRepository, EvalSearchRepository, ErasureRepository, EvalsService, EvalStatisticsService, DriftService, ProjectionService, RetentionService],
  exports: [ComputationsService, EvalsService, EvalStatisticsService],
})
export class EvalsModule {}
