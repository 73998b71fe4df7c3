import { Migration } from '@mikro-orm/migrations';

/** Users and their keys, evals and their results, promises, charges (which the database refuses to change) and the totals that are kept with them. */
export class Migration20261121003631_create_tables extends Migration {

  override name = 'Migration20261121003631_create_tables';

  override up(): void | Promise<void> {
    this.addSql(`create table "breakdown_totals" ("user_id" text not null, "month" text not null, "dimension" text not null, "item" text not null, "eval_count" int not null default 0, "input_tokens" bigint not null default '0', "output_tokens" bigint not null default '0', "cost" numeric not null default '0', "charge" numeric not null default '0', primary key ("user_id", "month", "dimension", "item"));`);

    this.addSql(`create table "month_totals" ("user_id" text not null, "month" text not null, "eval_count" int not null default 0, "free_eval_count" int not null default 0, "cost" numeric not null default '0', "charge" numeric not null default '0', primary key ("user_id", "month"));`);

    this.addSql(`create table "users" ("id" text not null, "email" text not null, "free_quota" int null, "has_payment_method" boolean not null, "monthly_spend_limit" numeric null, "created_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`create unique index "users_email_unique" on "users" (lower("email"));`);

    this.addSql(`create table "reservations" ("id" text not null, "user_id" text not null, "key_id" text not null, "month" text not null, "is_free" boolean not null, "max_charge" numeric not null, "idempotency_key" text null, "expires_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`create index "reservations_user_id_month_index" on "reservations" ("user_id", "month");`);
    this.addSql(`alter table "reservations" add constraint "reservations_idempotency_key_unique" unique ("user_id", "idempotency_key");`);

    this.addSql(`create table "idempotency_keys" ("user_id" text not null, "key" text not null, "fingerprint" text not null, "eval_id" text not null, "created_at" timestamptz(3) not null, primary key ("user_id", "key"));`);
    this.addSql(`create index "idempotency_keys_created_at_index" on "idempotency_keys" ("created_at");`);

    this.addSql(`create table "evals" ("id" text not null, "user_id" text not null, "prompt" text not null, "input" text null, "models" text[] not null, "temperature" double precision not null, "max_tokens" int not null, "total_cost" numeric not null, "charge" numeric not null, "is_free" boolean not null, "fastest_model" text not null, "cheapest_model" text not null, "created_at" timestamptz(3) not null, "duration_ms" int not null, primary key ("id"));`);
    this.addSql(`create index "evals_user_id_id_index" on "evals" ("user_id", "id");`);

    this.addSql(`create table "results" ("eval_id" text not null, "position" int not null, "model" text not null, "provider" text not null, "output" text not null, "latency_ms" int not null, "cost" numeric not null, "input_tokens" int not null, "output_tokens" int not null, "error" jsonb null, "warnings" jsonb not null, "details" jsonb not null, primary key ("eval_id", "position"));`);

    this.addSql(`create table "charges" ("id" text not null, "user_id" text not null, "eval_id" text null, "key_id" text null, "month" text not null, "models" text[] not null, "input_tokens" int not null, "output_tokens" int not null, "cost" numeric not null, "margin" numeric not null, "charge" numeric not null, "is_free" boolean not null, "reason" text null, "occurred_at" timestamptz(3) not null, "created_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`alter table "charges" add constraint "charges_eval_id_unique" unique ("eval_id");`);
    this.addSql(`create index "charges_user_id_month_id_index" on "charges" ("user_id", "month", "id");`);

    this.addSql(`create table "api_keys" ("id" text not null, "user_id" text not null, "name" text not null, "prefix" text not null, "hash" text not null, "monthly_spend_limit" numeric null, "allowed_models" text[] null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) null, "revoked_at" timestamptz(3) null, "last_used_at" timestamptz(3) null, primary key ("id"));`);
    this.addSql(`create index "api_keys_user_id_index" on "api_keys" ("user_id");`);
    this.addSql(`alter table "api_keys" add constraint "api_keys_hash_unique" unique ("hash");`);

    this.addSql(`alter table "month_totals" add constraint "month_totals_counts_check" check (free_eval_count >= 0 and free_eval_count <= eval_count);`);

    this.addSql(`alter table "reservations" add constraint "reservations_user_id_foreign" foreign key ("user_id") references "users" ("id") on delete restrict;`);

    this.addSql(`alter table "idempotency_keys" add constraint "idempotency_keys_user_id_foreign" foreign key ("user_id") references "users" ("id") on delete restrict;`);

    this.addSql(`alter table "evals" add constraint "evals_user_id_foreign" foreign key ("user_id") references "users" ("id") on delete restrict;`);

    this.addSql(`alter table "results" add constraint "results_eval_id_foreign" foreign key ("eval_id") references "evals" ("id") on delete cascade;`);
    this.addSql(`alter table "results" add constraint "results_counts_check" check (cost >= 0 and input_tokens >= 0 and output_tokens >= 0);`);

    this.addSql(`alter table "charges" add constraint "charges_user_id_foreign" foreign key ("user_id") references "users" ("id") on delete restrict;`);
    this.addSql(`alter table "charges" add constraint "charges_kind_check" check ((eval_id is null) = (reason is not null));`);
    this.addSql(`alter table "charges" add constraint "charges_amounts_check" check (cost >= 0 and margin >= 0 and (charge >= 0 or eval_id is null));`);
    this.addSql(`create or replace function "charges_charges_append_only_fn"() returns trigger as \$\$ begin raise exception 'charges is append-only' using errcode = 'integrity_constraint_violation'; end; \$\$ language plpgsql;`);
    this.addSql(`create trigger "charges_append_only" BEFORE UPDATE OR DELETE on "charges" for each ROW execute function "charges_charges_append_only_fn"();`);

    this.addSql(`alter table "api_keys" add constraint "api_keys_user_id_foreign" foreign key ("user_id") references "users" ("id") on delete restrict;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "reservations" drop constraint "reservations_user_id_foreign";`);
    this.addSql(`alter table "idempotency_keys" drop constraint "idempotency_keys_user_id_foreign";`);
    this.addSql(`alter table "evals" drop constraint "evals_user_id_foreign";`);
    this.addSql(`alter table "charges" drop constraint "charges_user_id_foreign";`);
    this.addSql(`alter table "api_keys" drop constraint "api_keys_user_id_foreign";`);
    this.addSql(`alter table "results" drop constraint "results_eval_id_foreign";`);

    this.addSql(`drop table if exists "breakdown_totals" cascade;`);
    this.addSql(`drop table if exists "month_totals" cascade;`);
    this.addSql(`drop table if exists "users" cascade;`);
    this.addSql(`drop table if exists "reservations" cascade;`);
    this.addSql(`drop table if exists "idempotency_keys" cascade;`);
    this.addSql(`drop table if exists "evals" cascade;`);
    this.addSql(`drop table if exists "results" cascade;`);
    this.addSql(`drop trigger if exists "charges_append_only" on "charges";`);
    this.addSql(`drop function if exists "charges_charges_append_only_fn"();`);
    this.addSql(`drop table if exists "charges" cascade;`);
    this.addSql(`drop table if exists "api_keys" cascade;`);
  }

}
