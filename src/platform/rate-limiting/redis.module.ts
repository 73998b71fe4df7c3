import { Module } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Config } from '../config/config';
import { Metrics } from '../observability/metrics';
import { RedisService } from './redis.service';

/** A separate module, because ThrottlerModule also imports it. */
@Module({
  providers: [
    {
      provide: RedisService,
      inject: [Config, Metrics, Clock],
      useFactory: (config: Config, metrics: Metrics, clock: Clock) => RedisService.open(config, metrics, clock),
    },
  ],
  exports: [RedisService],
})
export class RedisModule {}
