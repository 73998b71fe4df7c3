import { Module } from '@nestjs/common';
import { minutes, ThrottlerModule } from '@nestjs/throttler';
import { PrimaryChannel } from '../cluster/primary-channel';
import { Config } from '../common/config';
import { ConcurrencyLimiterService } from './concurrency-limiter.service';
import { DistributedSemaphoreService } from './distributed-semaphore.service';
import { RateLimitStorage } from './rate-limit.storage';
import type { RatePolicyName } from './rate-limited.decorator';
import { RateLimiterService } from './rate-limiter.service';
import { RedisModule } from './redis.module';
import { RedisService } from './redis.service';

@Module({
  imports: [
    RedisModule,
    ThrottlerModule.forRootAsync({
      imports: [RedisModule],
      inject: [Config, RedisService, PrimaryChannel],
      useFactory: (config: Config, redis: RedisService, primary: PrimaryChannel) => ({
        storage: new RateLimitStorage(redis, primary),
        throttlers: [
          { name: 'compare' satisfies RatePolicyName, ttl: minutes(1), limit: config.RATE_LIMIT_COMPARE_PER_MINUTE },
          { name: 'estimate' satisfies RatePolicyName, ttl: minutes(1), limit: config.RATE_LIMIT_ESTIMATE_PER_MINUTE },
          { name: 'read' satisfies RatePolicyName, ttl: minutes(1), limit: config.RATE_LIMIT_READ_PER_MINUTE },
        ],
      }),
    }),
  ],
  providers: [RateLimiterService, DistributedSemaphoreService, ConcurrencyLimiterService],
  exports: [RateLimiterService, ConcurrencyLimiterService, ThrottlerModule],
})
export class RateLimitingModule {}
