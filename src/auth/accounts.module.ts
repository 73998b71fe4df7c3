import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module';
import { AccountsService } from './accounts.service';
import { ApiKeyCacheService } from './api-key-cache.service';
import { AuthRepository } from './auth.repository';

/** Users and keys without the requests that they are used for: all that a command of the operator needs. */
@Module({ imports: [AuditModule], providers: [AuthRepository, ApiKeyCacheService, AccountsService], exports: [AuthRepository, ApiKeyCacheService, AccountsService] })
export class AccountsModule {}
