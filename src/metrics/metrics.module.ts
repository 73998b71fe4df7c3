import { Module } from '@nestjs/common';
import { MetricsController } from './metrics.controller';
import { MetricsService } from './metrics.service';
import { OperationsListenerService } from './operations-listener.service';

@Module({ controllers: [MetricsController], providers: [MetricsService, OperationsListenerService] })
export class MetricsModule {}
