import { Migration } from '@mikro-orm/migrations';

/**
 * Experiments and their rows; which eval belongs to which experiment. Additive: the release before leaves rows of
 * experiments alone, because it does not know their table.
 */
export class Migration20261126070000_experiments extends Migration {
  override up(): void {
    this.addSql(`
      create table "experiments" (
        "id" text not null primary key,
        "user_id" text not null,
        "key_id" text not null,
        "dataset_id" text not null,
        "name" text null,
        "spec" json not null,
        "state" text not null,
        "reason" text null,
        "reason_detail" text null,
        "row_count" int not null,
        "next_no" int not null default 0,
        "open" int not null default 0,
        "deals" int not null default 0,
        "done" int not null default 0,
        "failed" int not null default 0,
        "cost" numeric not null default 0,
        "charge" numeric not null default 0,
        "max_cost" numeric not null,
        "parallel" int not null,
        "dealt_at" timestamptz(3) null,
        "summary" json null,
        "erased_to" int null,
        "idempotency_key" text null,
        "fingerprint" text null,
        "created_at" timestamptz(3) not null,
        "finished_at" timestamptz(3) null,
        constraint "experiments_idempotency_key_unique" unique ("user_id", "idempotency_key"),
        constraint "experiments_user_id_foreign" foreign key ("user_id") references "users" ("id") on delete restrict
      )`);
    this.addSql(`create index "experiments_by_user_index" on "experiments" ("user_id", "id" collate "C")`);
    this.addSql(
      `create index "experiments_running_index" on "experiments" ("user_id") where state in ('running', 'paused')`,
    );
    this.addSql(`create index "experiments_erasing_index" on "experiments" ("id") where state = 'erasing'`);
    this.addSql(
      `create index "experiments_ended_index" on "experiments" ("finished_at") where state not in ('running', 'paused', 'erasing', 'erased')`,
    );
    this.addSql(`
      create table "experiment_rows" (
        "experiment_id" text not null,
        "row_no" int not null,
        "attempt" int not null,
        "row_id" text not null,
        "group_id" text null,
        "content" text not null,
        "state" text not null,
        "fence" int not null default 0,
        "retries" int not null default 0,
        "lease_until" timestamptz(3) null,
        "max_cost" numeric not null,
        "models" text[] null,
        "missing" text[] null,
        "eval_id" text not null,
        "cost" numeric not null default 0,
        "figures" double precision[] null,
        "error" jsonb null,
        "created_at" timestamptz(3) not null,
        "finished_at" timestamptz(3) null,
        primary key ("experiment_id", "row_no", "attempt"),
        constraint "experiment_rows_state_check" check (state in ('dealt', 'waiting', 'done', 'failed')),
        constraint "experiment_rows_experiment_id_foreign" foreign key ("experiment_id") references "experiments" ("id") on delete cascade
      )`);
    this.addSql(
      `create index "experiment_rows_dealt_index" on "experiment_rows" ("experiment_id") where state = 'dealt'`,
    );
    this.addSql(
      `create index "experiment_rows_waiting_index" on "experiment_rows" ("experiment_id", "row_no") where state = 'waiting'`,
    );
    this.addSql(`alter table "evals" add "experiment_id" text null`);
  }

  override down(): void {
    this.addSql(`alter table "evals" drop column "experiment_id"`);
    this.addSql(`drop table "experiment_rows"`);
    this.addSql(`drop table "experiments"`);
  }
}
