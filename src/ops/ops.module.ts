import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { HealthController } from './health.controller';
import { Readiness } from './readiness.service';

@Module({ imports: [TerminusModule.forRoot({ logger: false })], controllers: [HealthController], providers: [Readiness] })
export class OpsModule {}
