import { Module } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ThrottlerModule } from '@nestjs/throttler';
import { Config } from '../common/config';
import { AuthRepository } from './auth.repository';
import { AuthService } from './auth.service';
import { KeyCache } from './key-cache.service';
import { ParallelLimit } from './parallel-limit.service';
import { rateOf } from './rate-limit.guard';
import { RateLimitStorage } from './rate-limit.storage';
import { RateLimits } from './rate-limits.service';

@Module({
  imports: [
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
  providers: [AuthRepository, KeyCache, AuthService, RateLimits, ParallelLimit],
  exports: [AuthService, RateLimits, ParallelLimit, ThrottlerModule],
})
export class AuthModule {}
