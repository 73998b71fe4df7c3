import { Check, Entity, Index, ManyToOne, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { User } from '../auth/user.entity';

/** The states of a job; the last three are final. */
// eslint-disable-next-line local/plain-words -- the word of the interface
export const JOB_STATES = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const;

export type JobState = (typeof JOB_STATES)[number];

/** The states of a job whose work is still to be done. */
export const UNFINISHED_STATES = [JOB_STATES[0], JOB_STATES[1]] as const;
/** The state of a job that was canceled before it began. */
export const CANCELED = JOB_STATES[4];

/** True if the work of a job is still to be done. */
export function isUnfinished({ state }: { state: JobState }): boolean {
  return UNFINISHED_STATES.some((unfinished) => unfinished === state);
}

/** A background compare, which the interface calls a run. The process that runs it holds its lease. */
@Entity({ tableName: 'runs' })
@Index({
  name: 'runs_by_user_index',
  expression: 'create index "runs_by_user_index" on "runs" ("user_id", "id" collate "C")',
})
@Index({
  name: 'runs_unfinished_index',
  expression: `create index "runs_unfinished_index" on "runs" ("user_id", "id" collate "C") where state in ('queued', 'running')`,
})
@Unique({ name: 'runs_idempotency_key_unique', properties: ['userId', 'idempotencyKey'] })
@Check({ name: 'runs_state_check', expression: `state in (${JOB_STATES.map((state) => `'${state}'`).join(', ')})` })
export class Job {
  @PrimaryKey({ type: 'text' })
  id!: string;

  @ManyToOne(() => User, { mapToPk: true, fieldName: 'user_id', deleteRule: 'restrict' })
  userId!: string;

  /** The key that asked for it; looked at again when it runs. */
  @Property({ type: 'text' })
  keyId!: string;

  /** The id that the eval has once it is stored. */
  @Property({ type: 'text' })
  @Unique()
  evalId!: string;

  /** The command (job-command.ts); null after the end, so that no text of a user stays here. */
  @Property({ type: 'jsonb', nullable: true })
  body!: object | null;

  @Property({ type: 'text' })
  state!: JobState;

  /** The fencing token: each claim increments it, so that a process that lost its lease changes nothing. */
  @Property({ type: 'integer', default: 0 })
  fence!: number;

  /** The number of restarts because a lease expired or the service could not complete it. */
  @Property({ type: 'integer', default: 0 })
  retries!: number;

  /** Claimed by a process until then, by the database's clock; a queued run waits from then on. */
  @Property({ type: 'timestamptz', length: 3, nullable: true })
  leaseUntil!: Date | null;

  /** Why it failed, as an error body has it. */
  @Property({ type: 'jsonb', nullable: true })
  error!: object | null;

  @Property({ type: 'text', nullable: true })
  idempotencyKey!: string | null;

  /** SHA-256 of the request the key came with. */
  @Property({ type: 'text', nullable: true })
  fingerprint!: string | null;

  @Property({ type: 'timestamptz', length: 3 })
  @Index()
  createdAt!: Date;

  @Property({ type: 'timestamptz', length: 3, nullable: true })
  startedAt!: Date | null;

  @Property({ type: 'timestamptz', length: 3, nullable: true })
  finishedAt!: Date | null;
}
