import { Module } from '@nestjs/common';
import { minutes, ThrottlerModule, type ThrottlerOptions } from '@nestjs/throttler';
import { Config } from '../config/config';
import { ConcurrencyLimiterService } from './concurrency-limiter.service';
import { RateLimitStorage } from './rate-limit.storage';
import { ratePolicyOf, type RatePolicyName } from './rate-limited.decorator';
import { RateLimiterService } from './rate-limiter.service';
import { RedisModule } from './redis.module';
import { RedisService } from './redis.service';

/** One throttler for each policy. */
export function throttlersOf(config: Config): ThrottlerOptions[] {
  return [
    throttler('compare', config.RATE_LIMIT_COMPARE_PER_MINUTE),
    throttler('estimate', config.RATE_LIMIT_COMPARE_PER_MINUTE),
    throttler('read', config.RATE_LIMIT_READ_PER_MINUTE),
  ];
}

/** A throttler that counts only the routes of its policy, so that each request is counted once. */
function throttler(policy: RatePolicyName, limit: number): ThrottlerOptions {
  return { name: policy, ttl: minutes(1), limit, skipIf: (context) => ratePolicyOf(context) !== policy };
}

@Module({
  imports: [
    RedisModule,
    ThrottlerModule.forRootAsync({
      imports: [RedisModule],
      inject: [Config, RedisService],
      useFactory: (config: Config, redis: RedisService) => ({
        storage: new RateLimitStorage(redis),
        throttlers: throttlersOf(config),
      }),
    }),
  ],
  providers: [RateLimiterService, ConcurrencyLimiterService],
  exports: [RateLimiterService, ConcurrencyLimiterService, ThrottlerModule],
})
export class RateLimitingModule {}
