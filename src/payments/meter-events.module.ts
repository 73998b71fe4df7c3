import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module';
import { MeterEventsRepository } from './meter-events.repository';
import { MeterEventsService } from './meter-events.service';

/** The outbox as the operator sees it, without what sends it. */
@Module({ imports: [AuditModule], providers: [MeterEventsRepository, MeterEventsService], exports: [MeterEventsRepository, MeterEventsService] })
export class MeterEventsModule {}
