import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { newId } from '../common/ids';
import type { Actor } from './actor';
import type { AuditEntry } from './audit-entry.entity';
import { AuditRepository } from './audit.repository';

/** What is to be written about a change. */
export type AuditNote = Pick<AuditEntry, 'action' | 'targetType' | 'targetId' | 'changes'>;

/** What a change gives its caller, and what is to be written about it. */
export interface Changed<T> {
  value: T;
  note: AuditNote;
}

/** A page of the audit log. */
export interface AuditPage {
  entries: AuditEntry[];
  /** Id to go on after; undefined on the last page. */
  next: string | undefined;
}

/** Who changed what: every change of the operator's goes through here, so that it cannot be made without its entry. */
@Injectable()
export class AuditService {
  constructor(
    private readonly repository: AuditRepository,
    private readonly em: EntityManager,
    private readonly clock: Clock,
  ) {}

  /** Makes a change and writes its entry in one transaction; a change that changed nothing leaves none. */
  async change<T>(actor: Actor, work: (tx: EntityManager) => Promise<Changed<T>>): Promise<T> {
    return this.em.fork().transactional(async (tx) => {
      const { value, note } = await work(tx);
      const at = this.clock.now();
      const entry = { id: newId('aud', at), at, ...note, actor: actor.name, requestId: actor.requestId, address: actor.address };
      if (Object.keys(note.changes).length > 0) await this.repository.insert(tx, entry);
      return value;
    });
  }

  /** One page, newest first; of one target if its id is given. */
  async list(limit: number, targetId?: string, after?: string): Promise<AuditPage> {
    const entries = await this.repository.page(limit + 1, targetId, after);
    const hasMore = entries.length > limit;
    return { entries: entries.slice(0, limit), next: hasMore ? entries[limit - 1]?.id : undefined };
  }
}
