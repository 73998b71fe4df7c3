import { Module } from '@nestjs/common';
import { ClockOffsetService } from './clock-offset.service';
import { HealthController } from './health.controller';
import { ReadinessService } from './readiness.service';

@Module({ controllers: [HealthController], providers: [ReadinessService, ClockOffsetService] })
export class HealthModule {}
