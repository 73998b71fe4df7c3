import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module';
import { ModelsModule } from '../models/models.module';
import { ChargesRepository } from './charges.repository';
import { LedgerService } from './ledger.service';

/** The ledger without what reserves and cleans up: all that a command of the operator needs. */
@Module({ imports: [ModelsModule, AuditModule], providers: [ChargesRepository, LedgerService], exports: [ChargesRepository, LedgerService] })
export class LedgerModule {}
