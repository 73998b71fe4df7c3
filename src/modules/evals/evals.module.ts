import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module';
import { ErasureRepository } from './erasure.repository';
import { EvalsController } from './evals.controller';
import { EvalsRepository } from './evals.repository';
import { EvalsService } from './evals.service';
import { JudgmentsController } from './judgments.controller';
import { JudgmentsRepository } from './judgments.repository';
import { JudgmentsService } from './judgments.service';
import { RetentionService } from './retention.service';

/** Stores, lists, searches and erases evals, and keeps what people say about them. */
@Module({
  imports: [AuditModule],
  controllers: [EvalsController, JudgmentsController],
  providers: [
    EvalsRepository,
    ErasureRepository,
    EvalsService,
    JudgmentsRepository,
    JudgmentsService,
    RetentionService,
  ],
  exports: [EvalsService, JudgmentsService],
})
export class EvalsModule {}
