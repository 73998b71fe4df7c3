import { Module } from '@nestjs/common';
import { AuditRepository } from './audit.repository';
import { AuditLog } from './audit.service';

@Module({ providers: [AuditRepository, AuditLog], exports: [AuditLog] })
export class AuditModule {}
