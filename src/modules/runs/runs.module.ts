import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { BillingModule } from '../billing/billing.module';
import { ExecutionModule } from '../execution/execution.module';
import { JobAttemptService } from './job-attempt.service';
import { JobWorkerService } from './job-worker.service';
import { JobsRepository } from './jobs.repository';
import { RunsController } from './runs.controller';
import { RunsService } from './runs.service';

/** Compares in the background: their queue and their worker. */
@Module({
  imports: [AuthModule, BillingModule, ExecutionModule],
  controllers: [RunsController],
  providers: [JobAttemptService, JobWorkerService, JobsRepository, RunsService],
  exports: [JobWorkerService, RunsService],
})
export class RunsModule {}
