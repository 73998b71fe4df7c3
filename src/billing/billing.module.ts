import { Module } from '@nestjs/common';
import { ModelsModule } from '../models/models.module';
import { BillingRepository } from './billing.repository';
import { BillingService } from './billing.service';

@Module({ imports: [ModelsModule], providers: [BillingRepository, BillingService], exports: [BillingService] })
export class BillingModule {}
