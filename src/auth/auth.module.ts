import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { minutes, ThrottlerModule } from '@nestjs/throttler';
import { AuditModule } from '../audit/audit.module';
import { Config } from '../common/config';
import { PrimaryLine } from '../common/primary-line';
import { Accounts } from './accounts.service';
import type { Rate } from './auth.decorators';
import { AuthRepository } from './auth.repository';
import { AuthService } from './auth.service';
import { BearerAuthService } from './bearer-auth.service';
import { KeyCache } from './key-cache.service';
import { ParallelLimit } from './parallel-limit.service';
import { RateLimitStorage } from './rate-limit.storage';
import { RateLimits } from './rate-limits.service';
import { SharedPlaces } from './shared-places.service';
import { SharedStoreModule } from './shared-store.module';
import { SharedStore } from './shared-store.service';

@Module({
  imports: [
    AuditModule,
    DiscoveryModule,
    SharedStoreModule,
    ThrottlerModule.forRootAsync({
      imports: [SharedStoreModule],
      inject: [Config, SharedStore, PrimaryLine],
      useFactory: (config: Config, store: SharedStore, primary: PrimaryLine) => ({
        storage: new RateLimitStorage(store, primary),
        throttlers: [
          { name: 'compare' satisfies Rate, ttl: minutes(1), limit: config.COMPARE_RATE_PER_MINUTE },
          { name: 'estimate' satisfies Rate, ttl: minutes(1), limit: config.ESTIMATE_RATE_PER_MINUTE },
          { name: 'read' satisfies Rate, ttl: minutes(1), limit: config.READ_RATE_PER_MINUTE },
        ],
      }),
    }),
  ],
  providers: [AuthRepository, KeyCache, AuthService, BearerAuthService, Accounts, RateLimits, SharedPlaces, ParallelLimit],
  exports: [AuthService, BearerAuthService, Accounts, RateLimits, ParallelLimit, ThrottlerModule],
})
export class AuthModule {}
