import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module';
import { EvalsController } from './evals.controller';
import { EvalsRepository } from './evals.repository';
import { EvalsService } from './evals.service';
import { JudgmentsRepository } from './judgments.repository';
import { JudgmentsService } from './judgments.service';
import { RetentionService } from './retention.service';

@Module({
  imports: [AuditModule],
  controllers: [EvalsController],
  providers: [EvalsRepository, EvalsService, JudgmentsRepository, JudgmentsService, RetentionService],
  exports: [EvalsService, JudgmentsService],
})
export class EvalsModule {}
