import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { HealthController } from './health.controller';
import { MetricsController } from './metrics.controller';
import { MetricsReport } from './metrics.service';
import { Readiness } from './readiness.service';

@Module({ imports: [TerminusModule.forRoot({ logger: false })], controllers: [HealthController, MetricsController], providers: [Readiness, MetricsReport] })
export class OpsModule {}
