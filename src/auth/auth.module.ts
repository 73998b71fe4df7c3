import { Module } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ThrottlerModule } from '@nestjs/throttler';
import { AuditModule } from '../audit/audit.module';
import { Config } from '../common/config';
import { Accounts } from './accounts.service';
import { AuthRepository } from './auth.repository';
import { AuthService } from './auth.service';
import { KeyCache } from './key-cache.service';
import { ParallelLimit } from './parallel-limit.service';
import { rateOf } from './rate-limit.guard';
import { RateLimitStorage } from './rate-limit.storage';
import { RateLimits } from './rate-limits.service';

@Module({
  imports: [
    AuditModule,
    ThrottlerModule.forRootAsync({
      inject: [Config, Reflector],
      useFactory: (config: Config, reflector: Reflector) => ({
        storage: new RateLimitStorage(),
        throttlers: [
          {
            ttl: 60_000,
            limit: (context) => (rateOf(reflector, context) === 'compare' ? config.COMPARE_RATE_PER_MINUTE : config.READ_RATE_PER_MINUTE),
          },
        ],
      }),
    }),
  ],
  providers: [AuthRepository, KeyCache, AuthService, Accounts, RateLimits, ParallelLimit],
  exports: [AuthService, Accounts, RateLimits, ParallelLimit, ThrottlerModule],
})
export class AuthModule {}
