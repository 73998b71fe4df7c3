import { Injectable } from '@nestjs/common';
import { SqlService } from '../../platform/database/sql.service';
import type { AuditEntry } from './audit-entry.entity';

@Injectable()
export class AuditRepository {
  constructor(private readonly sql: SqlService) {}

  /** One page, newest first; of one target if its id is given, after the entry that a cursor names. */
  async page(limit: number, targetId?: string, after?: string): Promise<AuditEntry[]> {
    // Of one target in the order of its index: the primary key would find a target's entries by walking through all.
    const id = targetId === undefined ? 'id' : 'id collate "C"';
    const values: unknown[] = [limit];
    const parameter = (value: unknown) => `$${values.push(value)}`;
    const ofTarget = targetId === undefined ? '' : `and target_id = ${parameter(targetId)}`;
    const older = after === undefined ? '' : `and ${id} < ${parameter(after)}`;
    return this.sql.query<AuditEntry>(
      `
      select id, at, action, target_type as "targetType", target_id as "targetId", actor, request_id as "requestId", address, changes
      from audit_entries where true ${ofTarget} ${older} order by ${id} desc limit $1`,
      values,
    );
  }
}
