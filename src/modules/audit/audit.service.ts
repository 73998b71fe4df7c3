import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { newId } from '../../common/ids';
import { paginate, type Page } from '../../common/page';
import { SqlService } from '../../platform/database/sql.service';
import type { Actor } from './actor';
import { AuditEntry } from './audit-entry.entity';

type AuditNote = Pick<AuditEntry, 'action' | 'targetType' | 'targetId' | 'changes'>;

interface ChangeResult<T> {
  value: T;
  note: AuditNote;
}

/** The audit log. Administrative changes are made through `change`, so that none can be made without its entry. */
@Injectable()
export class AuditService {
  constructor(
    private readonly sql: SqlService,
    private readonly em: EntityManager,
    private readonly clock: Clock,
  ) {}

  /** Makes a change and writes its entry in one transaction; without changes, no entry is written. */
  async change<T>(actor: Actor, work: (tx: EntityManager) => Promise<ChangeResult<T>>): Promise<T> {
    return this.em.fork().transactional(async (tx) => {
      const { value, note } = await work(tx);
      const at = this.clock.now();
      const { name, requestId, address } = actor;
      if (Object.keys(note.changes).length > 0)
        await tx.insert(AuditEntry, { id: newId('aud', at), at, ...note, actor: name, requestId, address });
      return value;
    });
  }

  /** One page of entries, newest first; only those of `targetId` if given. */
  async list(limit: number, targetId?: string, after?: string): Promise<Page<AuditEntry>> {
    return paginate(await this.page(limit + 1, targetId, after), limit, ({ id }) => id);
  }

  private async page(limit: number, targetId?: string, after?: string): Promise<AuditEntry[]> {
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
