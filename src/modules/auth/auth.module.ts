import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AuditModule } from '../audit/audit.module';
import { RateLimitingModule } from '../../platform/rate-limiting/rate-limiting.module';
import { AccountsService } from './accounts.service';
import { ApiKeyCacheService } from './api-key-cache.service';
import { AuthRepository } from './auth.repository';
import { AuthService } from './auth.service';

@Module({
  imports: [AuditModule, DiscoveryModule, RateLimitingModule],
  providers: [AuthRepository, ApiKeyCacheService, AccountsService, AuthService],
  exports: [AccountsService, AuthService],
})
export class AuthModule {}
