import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { RateLimitingModule } from '../../platform/rate-limiting/rate-limiting.module';
import { ChecksController } from './checks.controller';
import { ChecksService } from './checks.service';

@Module({
  imports: [AuthModule, RateLimitingModule],
  controllers: [ChecksController],
  providers: [ChecksService],
  exports: [ChecksService],
})
export class ChecksModule {}
