import { Module } from '@nestjs/common';
import { ProvidersModule } from '../providers/providers.module';
import { CatalogCheckService } from './catalog-check.service';
import { ModelsController } from './models.controller';
import { ModelsService } from './models.service';

@Module({
  imports: [ProvidersModule],
  controllers: [ModelsController],
  providers: [ModelsService, CatalogCheckService],
  exports: [ModelsService],
})
export class ModelsModule {}
