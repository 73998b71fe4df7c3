import { Module } from '@nestjs/common';
import { HealthController } from './health.controller';
import { MetricsController } from './metrics.controller';
import { MetricsReport } from './metrics.service';
import { Readiness } from './readiness.service';

@Module({ controllers: [HealthController, MetricsController], providers: [Readiness, MetricsReport] })
export class OpsModule {}
