import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module';
import { ChecksModule } from '../checks/checks.module';
import { DatasetsController } from './datasets.controller';
import { DatasetsRepository } from './datasets.repository';
import { DatasetsService } from './datasets.service';

/** Stores, lists and deletes data sets, the rows of experiments. */
@Module({
  imports: [AuditModule, ChecksModule],
  controllers: [DatasetsController],
  providers: [DatasetsRepository, DatasetsService],
  exports: [DatasetsService],
})
export class DatasetsModule {}
