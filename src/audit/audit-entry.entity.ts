import { Entity, Index, PrimaryKey, Property, Trigger } from '@mikro-orm/decorators/legacy';
import type { Changes } from './changes';

/** What can be done that leaves an entry. */
export type AuditAction =
  | 'user.created' | 'user.updated' | 'key.issued' | 'key.updated' | 'key.rotated' | 'key.revoked' | 'charge.adjusted' | 'eval.erased' | 'evals.expired';

/** Who changed what and when; written with the change. Never changed and never deleted: the database refuses both. Holds no secret, hash or prompt. */
@Entity({ tableName: 'audit_entries' })
// Sorted by byte, unlike the primary key: so ordered, no plan can walk through all entries to find one target's.
@Index({ name: 'audit_entries_by_target_index', expression: 'create index "audit_entries_by_target_index" on "audit_entries" ("target_id", "id" collate "C")' })
@Trigger({ name: 'audit_entries_append_only', timing: 'before', events: ['update', 'delete'], body: "raise exception 'audit_entries is append-only' using errcode = 'integrity_constraint_violation'" })
export class AuditEntry {
  /** Sorts by time. */
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'timestamptz', length: 3 })
  at!: Date;

  @Property({ type: 'text' })
  action!: AuditAction;

  @Property({ type: 'text' })
  targetType!: string;

  @Property({ type: 'text' })
  targetId!: string;

  /** Name of the actor. */
  @Property({ type: 'text' })
  actor!: string;

  /** null for what the service did by itself. */
  @Property({ type: 'text', nullable: true })
  requestId!: string | null;

  /** Where the request came from. */
  @Property({ type: 'text', nullable: true })
  address!: string | null;

  @Property({ type: 'jsonb' })
  changes!: Changes;
}
