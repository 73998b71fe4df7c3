import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module';
import { ErasureRepository } from './erasure.repository';
import { EvalsController } from './evals.controller';
import { EvalsRepository } from './evals.repository';
import { EvalsService } from './evals.service';
import { RetentionService } from './retention.service';

/** Stores, lists, searches and erases evals. */
@Module({
  imports: [AuditModule],
  controllers: [EvalsController],
  providers: [EvalsRepository, ErasureRepository, EvalsService, RetentionService],
  exports: [EvalsService],
})
export class EvalsModule {}
