import { Module } from '@nestjs/common';
import { EvalsController } from './evals.controller';
import { EvalsRepository } from './evals.repository';
import { EvalsService } from './evals.service';

@Module({ controllers: [EvalsController], providers: [EvalsRepository, EvalsService], exports: [EvalsService] })
export class EvalsModule {}
