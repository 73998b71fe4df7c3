import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module';
import { ChecksModule } from '../checks/checks.module';
import { DatasetUsesService } from './dataset-uses.service';
import { DatasetsController } from './datasets.controller';
import { DatasetsRepository } from './datasets.repository';
import { DatasetsService } from './datasets.service';

/** Stores, lists and deletes data sets, the rows of experiments. */
@Module({
  imports: [AuditModule, ChecksModule],
  controllers: [DatasetsController],
  providers: [DatasetsRepository, DatasetUsesService, DatasetsService],
  exports: [DatasetsService, DatasetUsesService],
})
export class DatasetsModule {}
