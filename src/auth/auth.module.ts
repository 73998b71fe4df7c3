import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { RateLimitingModule } from '../rate-limiting/rate-limiting.module';
import { AccountsModule } from './accounts.module';
import { AuthService } from './auth.service';
import { BearerAuthService } from './bearer-auth.service';

@Module({
  imports: [AccountsModule, DiscoveryModule, RateLimitingModule],
  providers: [AuthService, BearerAuthService],
  exports: [AccountsModule, AuthService, BearerAuthService],
})
export class AuthModule {}
