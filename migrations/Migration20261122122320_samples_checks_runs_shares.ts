import { Migration } from '@mikro-orm/migrations';

/**
 * Samples, checks and reruns of evals; compares that run in the background; links to share evals. Additive: the release
 * before works with it.
 */
export class Migration20261122122320_samples_checks_runs_shares extends Migration {
  override up(): void {
    this.addSql(
      `alter table "evals" add "samples" int not null default 1, add "checks" jsonb null, add "rerun_of" text null`,
    );
    this.addSql(`alter table "results" add "checks" jsonb null`);
    this.runs();
    this.shares();
  }

  override down(): void {
    this.addSql(`drop table "shares"`);
    this.addSql(`drop table "runs"`);
    this.addSql(`alter table "results" drop column "checks"`);
    this.addSql(`alter table "evals" drop column "samples", drop column "checks", drop column "rerun_of"`);
  }

  private runs(): void {
    // eslint-disable-next-line local/plain-words -- the word of the interface
    this.addSql(`
      create table "runs" (
        "id" text not null primary key,
        "user_id" text not null,
        "key_id" text not null,
        "eval_id" text not null,
        "body" jsonb null,
        "state" text not null,
        "fence" int not null default 0,
        "retries" int not null default 0,
        "lease_until" timestamptz(3) null,
        "error" jsonb null,
        "idempotency_key" text null,
        "fingerprint" text null,
        "created_at" timestamptz(3) not null,
        "started_at" timestamptz(3) null,
        "finished_at" timestamptz(3) null,
        constraint "runs_eval_id_unique" unique ("eval_id"),
        constraint "runs_idempotency_key_unique" unique ("user_id", "idempotency_key"),
        constraint "runs_state_check" check (state in ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
        constraint "runs_user_id_foreign" foreign key ("user_id") references "users" ("id") on delete restrict
      )`);
    this.addSql(`create index "runs_by_user_index" on "runs" ("user_id", "id" collate "C")`);
    this.addSql(
      `create index "runs_unfinished_index" on "runs" ("user_id", "id" collate "C") where state in ('queued', 'running')`,
    );
    this.addSql(`create index "runs_created_at_index" on "runs" ("created_at")`);
  }

  private shares(): void {
    this.addSql(`
      create table "shares" (
        "id" text not null primary key,
        "user_id" text not null,
        "eval_id" text not null,
        "token_hash" text not null,
        "redact" text[] not null,
        "seed" text not null,
        "created_at" timestamptz(3) not null,
        "expires_at" timestamptz(3) not null,
        "revoked_at" timestamptz(3) null,
        "views" int not null default 0,
        constraint "shares_token_hash_unique" unique ("token_hash"),
        constraint "shares_user_id_foreign" foreign key ("user_id") references "users" ("id") on delete restrict,
        constraint "shares_eval_id_foreign" foreign key ("eval_id") references "evals" ("id") on delete cascade
      )`);
    this.addSql(`create index "shares_by_user_index" on "shares" ("user_id", "id" collate "C")`);
    this.addSql(`create index "shares_by_eval_index" on "shares" ("eval_id", "id" collate "C")`);
    this.addSql(`create index "shares_by_end_index" on "shares" (least("revoked_at", "expires_at"))`);
  }
}
