import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module';
import { MeterEventsController } from './meter-events.controller';
import { MeterEventsRepository } from './meter-events.repository';
import { MeterEventsService } from './meter-events.service';

/** The admin endpoints of the outbox. They exist without Stripe too: events of an earlier provider remain. */
@Module({
  imports: [AuditModule],
  controllers: [MeterEventsController],
  providers: [MeterEventsRepository, MeterEventsService],
  exports: [MeterEventsRepository],
})
export class MeterEventsModule {}
