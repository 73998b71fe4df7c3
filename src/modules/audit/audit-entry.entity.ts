import { Entity, Index, PrimaryKey, Property, Trigger } from '@mikro-orm/decorators/legacy';
import type { Changes } from './changes';
import { TextColumn, TimestampColumn } from '../../platform/database/columns';

export type AuditAction =
  | 'user.created'
  | 'user.updated'
  | 'key.issued'
  | 'key.updated'
  | 'key.rotated'
  | 'key.revoked'
  | 'charge.adjusted'
  | 'eval.erased'
  | 'evals.expired'
  | 'dataset.created'
  | 'dataset.deleted'
  | 'experiment.decided'
  | 'experiment.decision_withdrawn'
  | 'experiment.erased'
  | 'experiment.expired'
  | 'experiment.evals_erased'
  | 'share.created'
  | 'share.revoked'
  | 'meter_event.resent';

/**
 * Who changed what and when, written in the transaction of the change. Append-only: a trigger rejects updates and
 * deletes. Contains no secret, hash or prompt.
 */
@Entity({ tableName: 'audit_entries' })
// Collation "C", unlike the primary key: with this order, no plan can scan all entries to find those of one target.
@Index({
  name: 'audit_entries_by_target_index',
  expression: 'create index "audit_entries_by_target_index" on "audit_entries" ("target_id", "id" collate "C")',
})
@Trigger({
  name: 'audit_entries_append_only',
  timing: 'before',
  events: ['update', 'delete'],
  body: "raise exception 'audit_entries is append-only' using errcode = 'integrity_constraint_violation'",
})
export class AuditEntry {
  /** Sorts by creation time. */
  @PrimaryKey({ type: 'text' })
  id!: string;

  @TimestampColumn()
  at!: Date;

  @TextColumn()
  action!: AuditAction;

  @TextColumn()
  targetType!: string;

  @TextColumn()
  targetId!: string;

  /** `Actor.name`. */
  @TextColumn()
  actor!: string;

  /** null for a change outside a request. */
  @TextColumn({ nullable: true })
  requestId!: string | null;

  /** IP address of the client; null for a change outside a request. */
  @TextColumn({ nullable: true })
  address!: string | null;

  @Property({ type: 'jsonb' })
  changes!: Changes;
}
