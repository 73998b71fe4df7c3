import { Module } from '@nestjs/common';
import { PrimaryChannel } from '../../platform/cluster/primary-channel';
import { RateLimitingModule } from '../../platform/rate-limiting/rate-limiting.module';
import { HealthController } from './health.controller';
import { MetricsController } from './metrics.controller';
import { MetricsService } from './metrics.service';
import { ReadinessService } from './readiness.service';

/** The endpoints of operators: probes and metrics. */
@Module({
  imports: [RateLimitingModule],
  controllers: [HealthController, MetricsController],
  providers: [PrimaryChannel, ReadinessService, MetricsService],
})
export class HealthModule {}
