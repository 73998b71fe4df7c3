import { Entity, Index, ManyToOne, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { EXPERIMENT_STATES, type ExperimentState } from './experiment-states';
import { User } from '../auth/user.entity';
import type { Money } from '../../common/money';
import { MoneyColumn } from '../../platform/database/money.column';
import type { StoredCommand } from '../runs/job-command';
import type { JudgeScale, JudgeSpec } from './judge/judge-spec';

export { EXPERIMENT_STATES, type ExperimentState };

/** The state of an experiment that its user has ended. */
export const CANCELED_EXPERIMENT = EXPERIMENT_STATES[3];

/** True if an experiment has ended with its texts. */
export function isEnded({ state }: { state: string }): boolean {
  return state === 'finished' || state === CANCELED_EXPERIMENT;
}

/** True if an experiment has no texts any more, or soon. */
export function isErased({ state }: { state: ExperimentState }): boolean {
  return state === 'erasing' || state === 'erased';
}

/** Why an experiment is paused. */
export const PAUSE_REASONS = [
  'by_user',
  'cap_reached',
  'spend_limit_reached',
  'payment_required',
  'key_revoked',
  'model_gone',
  'model_not_allowed',
  'failing',
  'waiting_for_answers',
] as const;

export type PauseReason = (typeof PAUSE_REASONS)[number];

/**
 * The act that lets an experiment go on, by the reason of its pause. A cancellation or an erasure ends every pause, and
 * a retry none.
 */
export const GOES_ON_BY: Readonly<Record<PauseReason, 'resume' | 'raised cap' | 'answers'>> = {
  by_user: 'resume',
  cap_reached: 'raised cap',
  spend_limit_reached: 'resume',
  payment_required: 'resume',
  key_revoked: 'resume',
  model_gone: 'resume',
  model_not_allowed: 'resume',
  failing: 'resume',
  waiting_for_answers: 'answers',
};

/** A decision after an experiment in its stored form. */
export interface Decision {
  /** A model of the experiment, or `none`. */
  model: string;
  reason: string | null;
  /** The loss of pass rate that was accepted. */
  tolerance: number;
  decidedAt: string;
  /** The name of the key. */
  decidedBy: string;
}

/** A check that a judge decides after the last row. */
export interface RubricCheck {
  type: 'rubric';
  name?: string;
  criterion: string;
  judge: string;
  scale?: JudgeScale;
}

/** The questions of an experiment, the same for every row. */
export interface ExperimentSpec {
  /** The template of the commands, with every default filled in. */
  command: StoredCommand;
  /** The options as the caller wrote them. */
  options: object | undefined;
  /** The number of rows that the caller asked for; null for all of the data set. */
  limit: number | null;
  /** Of an experiment of judges: what they judge. */
  judge?: JudgeSpec;
  /** The rubrics as the caller wrote them. Each has an experiment of its judge. */
  rubrics?: RubricCheck[];
}

/**
 * One prompt for the rows of a data set and several models, under a cap of cost. It schedules its rows for the workers; each
 * row becomes an eval.
 */
@Entity({ tableName: 'experiments' })
@Index({
  name: 'experiments_by_user_index',
  expression: 'create index "experiments_by_user_index" on "experiments" ("user_id", "id" collate "C")',
})
@Index({
  name: 'experiments_running_index',
  expression: `create index "experiments_running_index" on "experiments" ("user_id") where state in ('running', 'paused')`,
})
@Index({
  name: 'experiments_erasing_index',
  expression: `create index "experiments_erasing_index" on "experiments" ("id") where state = 'erasing'`,
})
@Index({
  name: 'experiments_ended_index',
  expression: `create index "experiments_ended_index" on "experiments" ("finished_at") where state not in ('running', 'paused', 'erasing', 'erased')`,
})
@Index({
  name: 'experiments_judge_of_index',
  expression: `create index "experiments_judge_of_index" on "experiments" ("judge_of") where judge_of is not null`,
})
@Unique({ name: 'experiments_idempotency_key_unique', properties: ['userId', 'idempotencyKey'] })
export class Experiment {
  @PrimaryKey({ type: 'text' })
  id!: string;

  @ManyToOne(() => User, { mapToPk: true, fieldName: 'user_id', deleteRule: 'restrict' })
  userId!: string;

  /**
   * The key that pays: it started the experiment, was the last to let it go on, or succeeded such a key. Looked at
   * again for every row.
   */
  @Property({ type: 'text' })
  keyId!: string;

  /** No foreign key: a data set can be deleted once the experiment has ended. */
  @Property({ type: 'text' })
  datasetId!: string;

  /** The experiment whose answers it judges; null if it asks models. */
  @Property({ type: 'text', nullable: true })
  judgeOf!: string | null;

  @Property({ type: 'text', nullable: true })
  name!: string | null;

  /** The questions; without texts once erased. Not jsonb, because models follow the order of a schema's members. */
  @Property({ type: 'json', columnType: 'json' })
  spec!: ExperimentSpec;

  @Property({ type: 'text' })
  state!: ExperimentState;

  /** Why it is paused; null while it is not. */
  @Property({ type: 'text', nullable: true })
  reason!: PauseReason | null;

  @Property({ type: 'text', nullable: true })
  reasonDetail!: string | null;

  @Property({ type: 'integer' })
  rowCount!: number;

  /** The first row that is not dealt yet. */
  @Property({ type: 'integer', default: 0 })
  nextNo!: number;

  /** The number of rows that are dealt or waiting; the experiment ends when it is 0 and every row was dealt. */
  @Property({ type: 'integer', default: 0 })
  open!: number;

  /** Counts the schedulings, so that a decision on older rows changes nothing. */
  @Property({ type: 'integer', default: 0 })
  deals!: number;

  /** Rows in which at least one model answered. */
  @Property({ type: 'integer', default: 0 })
  done!: number;

  /** Rows in which no model answered. */
  @Property({ type: 'integer', default: 0 })
  failed!: number;

  /** The cost of its evals, in USD without margin. */
  @Property({ type: MoneyColumn, default: 0 })
  cost!: Money;

  @Property({ type: MoneyColumn, default: 0 })
  charge!: Money;

  /** The cap of `cost`. */
  @Property({ type: MoneyColumn })
  maxCost!: Money;

  /** The maximum number of rows that run at the same time. */
  @Property({ type: 'integer' })
  parallel!: number;

  @Property({ type: 'timestamptz', length: 3, nullable: true })
  dealtAt!: Date | null;

  /** When it would have started without its pauses; null without a pause. */
  @Property({ type: 'timestamptz', length: 3, nullable: true })
  startedAt!: Date | null;

  /** The final summary, once it was asked for. */
  @Property({ type: 'json', columnType: 'json', nullable: true })
  summary!: object | null;

  @Property({ type: 'json', columnType: 'json', nullable: true })
  decision!: Decision | null;

  /** The first row whose eval is still to be erased; null unless it is being erased. */
  @Property({ type: 'integer', nullable: true })
  erasedTo!: number | null;

  @Property({ type: 'text', nullable: true })
  idempotencyKey!: string | null;

  /** SHA-256 of the request the key came with. */
  @Property({ type: 'text', nullable: true })
  fingerprint!: string | null;

  @Property({ type: 'timestamptz', length: 3 })
  createdAt!: Date;

  @Property({ type: 'timestamptz', length: 3, nullable: true })
  finishedAt!: Date | null;
}

/** An experiment with the number of its rows that are dealt, and of an open one the spread of the costs of its rows. */
export type ExperimentWithRunning = Experiment & { running: number; costSpread: number | null };
