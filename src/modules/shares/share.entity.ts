import { Entity, Index, ManyToOne, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { UserId } from '../auth/user.entity';
import { Eval } from '../evals/eval.entity';
import { Experiment } from '../experiments/experiment.entity';
import { TextColumn, TimestampColumn } from '../../platform/database/columns';

export const REDACTIONS = ['prompt', 'outputs', 'costs', 'models'] as const;

export type Redaction = (typeof REDACTIONS)[number];

/** A link that shows one eval or experiment to everyone with the link. It ends with that. */
@Entity({ tableName: 'shares' })
@Index({
  name: 'shares_by_user_index',
  expression: 'create index "shares_by_user_index" on "shares" ("user_id", "id" collate "C")',
})
@Index({
  name: 'shares_by_eval_index',
  expression: 'create index "shares_by_eval_index" on "shares" ("eval_id", "id" collate "C")',
})
@Index({
  name: 'shares_by_experiment_index',
  expression: 'create index "shares_by_experiment_index" on "shares" ("experiment_id", "id" collate "C")',
})
@Index({
  name: 'shares_by_end_index',
  expression: 'create index "shares_by_end_index" on "shares" (least("revoked_at", "expires_at"))',
})
export class Share {
  @PrimaryKey({ type: 'text' })
  id!: string;

  @UserId()
  userId!: string;

  @ManyToOne(() => Eval, { mapToPk: true, fieldName: 'eval_id', deleteRule: 'cascade', nullable: true })
  evalId!: string | null;

  /** In place of an eval. */
  @ManyToOne(() => Experiment, { mapToPk: true, fieldName: 'experiment_id', deleteRule: 'cascade', nullable: true })
  experimentId!: string | null;

  /** HMAC-SHA-256 of the token under the pepper, in hexadecimal; the token itself is shown once. */
  @TextColumn()
  @Unique()
  tokenHash!: string;

  @Property({ type: 'text[]' })
  redact!: Redaction[];

  /** True if everyone with the link may vote on what judges judged. */
  @Property({ type: 'boolean', default: false })
  votes!: boolean;

  /** From which a blind share draws the order of its models. */
  @TextColumn()
  seed!: string;

  @TimestampColumn()
  createdAt!: Date;

  @TimestampColumn()
  expiresAt!: Date;

  @TimestampColumn({ nullable: true })
  revokedAt!: Date | null;

  @Property({ type: 'integer', default: 0 })
  views!: number;
}

/** The state of a share: live, or the reason why it no longer shows its eval. */
export function shareStatus(
  { revokedAt, expiresAt }: Pick<Share, 'revokedAt' | 'expiresAt'>,
  at: Date,
): 'live' | 'revoked' | 'expired' {
  if (revokedAt !== null) return 'revoked';
  return expiresAt > at ? 'live' : 'expired';
}
