import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { AuditEntry } from './audit-entry.entity';

/** The audit log in Postgres. */
@Injectable()
export class AuditRepository {
  constructor(private readonly em: EntityManager) {}

  /** Writes an entry in the transaction of its change. */
  async insert(tx: EntityManager, entry: AuditEntry): Promise<void> {
    await sql`
      insert into audit_entries (id, at, action, target_type, target_id, actor, request_id, address, changes)
      values (${entry.id}, ${entry.at}, ${entry.action}, ${entry.targetType}, ${entry.targetId}, ${entry.actor}, ${entry.requestId}, ${entry.address},
        ${JSON.stringify(entry.changes)}::jsonb)
    `.execute(tx.getKysely());
  }

  /** One page, newest first; of one target if its id is given, after the entry that a cursor names. */
  async page(limit: number, targetId?: string, after?: string): Promise<AuditEntry[]> {
    // Of one target in the order of its index: the primary key would find a target's entries by walking through all.
    const id = targetId === undefined ? sql`id` : sql`id collate "C"`;
    const { rows } = await sql<AuditRow>`
      select * from audit_entries
      where true ${targetId === undefined ? sql`` : sql`and target_id = ${targetId}`} ${after === undefined ? sql`` : sql`and ${id} < ${after}`}
      order by ${id} desc limit ${limit}
    `.execute(this.em.getKysely());
    return rows.map((row) => Object.assign(new AuditEntry(), {
      id: row.id, at: new Date(row.at), action: row.action, targetType: row.target_type, targetId: row.target_id,
      actor: row.actor, requestId: row.request_id, address: row.address, changes: row.changes,
    }));
  }
}

interface AuditRow extends Pick<AuditEntry, 'id' | 'action' | 'actor' | 'address' | 'changes'> {
  at: Date | string;
  target_type: string;
  target_id: string;
  request_id: string | null;
}
