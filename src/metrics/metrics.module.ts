import { Module } from '@nestjs/common';
import { RateLimitingModule } from '../rate-limiting/rate-limiting.module';
import { MetricsController } from './metrics.controller';
import { MetricsService } from './metrics.service';
import { OperationsListenerService } from './operations-listener.service';

@Module({ imports: [RateLimitingModule], controllers: [MetricsController], providers: [MetricsService, OperationsListenerService] })
export class MetricsModule {}
