import { Migration } from '@mikro-orm/migrations';

/** The whole schema: users and their keys, evals and their results, the ledger, payments and the audit log. */
export class Migration20261122030000_initial_schema extends Migration {
  override up(): void {
    this.accounts();
    this.evals();
    this.ledger();
    this.reservations();
    this.payments();
    this.auditLog();
  }

  override down(): void {
    for (const table of [
      'audit_entries',
      'stripe_events',
      'meter_events',
      'payment_customers',
      'idempotency_keys',
      'reservations',
      'breakdown_totals',
      'month_totals',
      'charges',
      'erased_evals',
      'results',
      'evals',
      'api_keys',
      'users',
    ]) {
      this.addSql(`drop table "${table}"`);
    }
    this.addSql(`drop function "audit_entries_audit_entries_append_only_fn"`);
    this.addSql(`drop function "enqueue_meter_event"`);
    this.addSql(`drop function "charges_charges_append_only_fn"`);
  }

  private accounts(): void {
    this.addSql(`
      create table "users" (
        "id" text not null primary key,
        "email" text not null,
        "free_quota" int null,
        "has_payment_method" boolean not null,
        "monthly_spend_limit" numeric null,
        "created_at" timestamptz(3) not null
      )`);
    this.addSql(`create unique index "users_email_unique" on "users" (lower("email"))`);

    this.addSql(`
      create table "api_keys" (
        "id" text not null primary key,
        "user_id" text not null,
        "name" text not null,
        "prefix" text not null,
        "hash" text not null,
        "monthly_spend_limit" numeric null,
        "allowed_models" text[] null,
        "scopes" text[] null,
        "created_at" timestamptz(3) not null,
        "expires_at" timestamptz(3) null,
        "revoked_at" timestamptz(3) null,
        "last_used_at" timestamptz(3) null,
        constraint "api_keys_hash_unique" unique ("hash"),
        constraint "api_keys_user_id_foreign" foreign key ("user_id") references "users" ("id") on delete restrict
      )`);
    this.addSql(`create index "api_keys_user_id_index" on "api_keys" ("user_id")`);
  }

  private evals(): void {
    this.addSql(`
      create table "evals" (
        "id" text not null primary key,
        "user_id" text not null,
        "prompt" text not null,
        "input" text null,
        "models" text[] not null,
        "temperature" double precision not null,
        "max_tokens" int not null,
        "total_cost" numeric not null,
        "charge" numeric not null,
        "is_free" boolean not null,
        "fastest_model" text not null,
        "cheapest_model" text not null,
        "created_at" timestamptz(3) not null,
        "duration_ms" int not null,
        constraint "evals_user_id_foreign" foreign key ("user_id") references "users" ("id") on delete restrict
      )`);
    // The id by byte, unlike the primary key: so ordered, no plan can walk through everybody's evals to find one
    // user's.
    this.addSql(`create index "evals_by_user_index" on "evals" ("user_id", "id" collate "C")`);

    this.addSql(`
      create table "results" (
        "eval_id" text not null,
        "position" int not null,
        "model" text not null,
        "provider" text not null,
        "output" text not null,
        "latency_ms" int not null,
        "cost" numeric not null,
        "input_tokens" int not null,
        "output_tokens" int not null,
        "error" jsonb null,
        "warnings" jsonb not null,
        "details" jsonb not null,
        primary key ("eval_id", "position"),
        constraint "results_eval_id_foreign" foreign key ("eval_id") references "evals" ("id") on delete cascade,
        constraint "results_counts_check" check (cost >= 0 and input_tokens >= 0 and output_tokens >= 0)
      )`);

    this.addSql(`
      create table "erased_evals" (
        "eval_id" text not null primary key,
        "user_id" text not null,
        "erased_at" timestamptz(3) not null,
        "result_summaries" jsonb not null,
        constraint "erased_evals_user_id_foreign" foreign key ("user_id") references "users" ("id") on delete restrict
      )`);
  }

  /** Charges, which nothing changes, and the totals that are kept with them. */
  private ledger(): void {
    this.addSql(`
      create table "charges" (
        "id" text not null primary key,
        "user_id" text not null,
        "eval_id" text null,
        "key_id" text null,
        "month" text not null,
        "models" text[] not null,
        "input_tokens" int not null,
        "output_tokens" int not null,
        "cost" numeric not null,
        "margin" numeric not null,
        "charge" numeric not null,
        "is_free" boolean not null,
        "reason" text null,
        "occurred_at" timestamptz(3) not null,
        "created_at" timestamptz(3) not null,
        constraint "charges_eval_id_unique" unique ("eval_id"),
        constraint "charges_user_id_foreign" foreign key ("user_id") references "users" ("id") on delete restrict,
        constraint "charges_kind_check" check ((eval_id is null) = (reason is not null)),
        constraint "charges_amounts_check" check (cost >= 0 and margin >= 0 and (charge >= 0 or eval_id is null))
      )`);
    this.addSql(`create index "charges_by_user_and_month_index" on "charges" ("user_id", "month", "id" collate "C")`);
    this.appendOnly('charges');

    // Its rows and those of the breakdown change with every compare: their pages keep room for new versions, so that no
    // index has to change with them.
    this.addSql(`
      create table "month_totals" (
        "user_id" text not null,
        "month" text not null,
        "eval_count" int not null default 0,
        "free_eval_count" int not null default 0,
        "cost" numeric not null default '0',
        "charge" numeric not null default '0',
        "free_held" int not null default 0,
        "held" numeric not null default '0',
        primary key ("user_id", "month"),
        constraint "month_totals_counts_check" check (free_eval_count >= 0 and free_eval_count <= eval_count),
        constraint "month_totals_held_check" check (free_held >= 0 and held >= 0)
      ) with (fillfactor = 50)`);

    this.addSql(`
      create table "breakdown_totals" (
        "user_id" text not null,
        "month" text not null,
        "dimension" text not null,
        "item" text not null,
        "eval_count" int not null default 0,
        "input_tokens" bigint not null default '0',
        "output_tokens" bigint not null default '0',
        "cost" numeric not null default '0',
        "charge" numeric not null default '0',
        "held" numeric not null default '0',
        primary key ("user_id", "month", "dimension", "item"),
        constraint "breakdown_totals_held_check" check (held >= 0)
      ) with (fillfactor = 70)`);
  }

  private reservations(): void {
    this.addSql(`
      create table "reservations" (
        "id" text not null primary key,
        "user_id" text not null,
        "key_id" text not null,
        "month" text not null,
        "is_free" boolean not null,
        "max_charge" numeric not null,
        "is_key_limited" boolean not null default false,
        "idempotency_key" text null,
        "expires_at" timestamptz(3) not null,
        constraint "reservations_idempotency_key_unique" unique ("user_id", "idempotency_key"),
        constraint "reservations_user_id_foreign" foreign key ("user_id") references "users" ("id") on delete restrict
      )`);
    this.addSql(`create index "reservations_user_id_expires_at_index" on "reservations" ("user_id", "expires_at")`);

    this.addSql(`
      create table "idempotency_keys" (
        "user_id" text not null,
        "key" text not null,
        "fingerprint" text not null,
        "eval_id" text not null,
        "created_at" timestamptz(3) not null,
        primary key ("user_id", "key"),
        constraint "idempotency_keys_user_id_foreign" foreign key ("user_id") references "users" ("id") on delete restrict
      )`);
    this.addSql(`create index "idempotency_keys_created_at_index" on "idempotency_keys" ("created_at")`);
  }

  private payments(): void {
    this.addSql(`
      create table "payment_customers" (
        "user_id" text not null primary key,
        "stripe_customer_id" text not null,
        "charged" numeric not null default '0',
        "metered_nano_usd" bigint not null default '0',
        "sync_version" int not null default 0,
        "created_at" timestamptz(3) not null,
        constraint "payment_customers_stripe_customer_id_unique" unique ("stripe_customer_id"),
        constraint "payment_customers_user_id_foreign" foreign key ("user_id") references "users" ("id") on update cascade on delete restrict,
        constraint "payment_customers_metered_check" check (metered_nano_usd >= 0 and metered_nano_usd >= floor(charged * 1000000000))
      )`);

    this.addSql(`
      create table "meter_events" (
        "charge_id" text not null primary key,
        "user_id" text not null,
        "nano_usd" bigint not null,
        "occurred_at" timestamptz(3) not null,
        "attempts" int not null default 0,
        "uncertain_since" timestamptz(3) null,
        "next_attempt_at" timestamptz(3) null,
        "sent_at" timestamptz(3) null,
        "last_error" text null,
        constraint "meter_events_value_check" check (nano_usd >= 0)
      )`);
    this.addSql(
      `create index "meter_events_waiting_index" on "meter_events" ("next_attempt_at") where next_attempt_at is not null`,
    );
    this.meterTrigger();

    this.addSql(`
      create table "stripe_events" (
        "id" text not null primary key,
        "received_at" timestamptz(3) not null
      )`);
    this.addSql(`create index "stripe_events_received_at_index" on "stripe_events" ("received_at")`);
  }

  /**
   * After each charge of a user who pays through the payment provider, puts a meter event into the outbox, in the
   * charge's own transaction.
   * A trigger, so that no way of writing a charge can forget it, so that billing need not know of payments, and so that
   * a compare sends
   * no statement more; without customers it is one look-up in an empty table.
   *
   * The event's value is what the user's charges have grown by in whole nano-dollars, rounded down over all of them and
   * not one by one, so that no
   * fraction is lost. A meter takes nothing negative: after a credit the sum stays where it was until the charges have
   * caught up with it.
   * The user's row is locked first, also by the creation of the customer, so no charge is missed.
   */
  private meterTrigger(): void {
    this.addSql(`
      create function "enqueue_meter_event"() returns trigger as $$
      declare
        customer payment_customers;
        mark bigint;
      begin
        if new.charge = 0 then return null; end if;
        perform from users where id = new.user_id for key share;
        select * into customer from payment_customers where user_id = new.user_id for update;
        if not found then return null; end if;
        mark := greatest(customer.metered_nano_usd, floor((customer.charged + new.charge) * 1000000000));
        update payment_customers set charged = charged + new.charge, metered_nano_usd = mark where user_id = new.user_id;
        insert into meter_events (charge_id, user_id, nano_usd, occurred_at, next_attempt_at)
        values (new.id, new.user_id, mark - customer.metered_nano_usd, new.occurred_at, case when mark > customer.metered_nano_usd then clock_timestamp() end);
        return null;
      end;
      $$ language plpgsql`);
    this.addSql(
      `create trigger "charges_metered" after insert on "charges" for each row execute function "enqueue_meter_event"()`,
    );
  }

  private auditLog(): void {
    this.addSql(`
      create table "audit_entries" (
        "id" text not null primary key,
        "at" timestamptz(3) not null,
        "action" text not null,
        "target_type" text not null,
        "target_id" text not null,
        "actor" text not null,
        "request_id" text null,
        "address" text null,
        "changes" jsonb not null
      )`);
    this.addSql(`create index "audit_entries_by_target_index" on "audit_entries" ("target_id", "id" collate "C")`);
    this.appendOnly('audit_entries');
  }

  /**
   * No row is changed, deleted or truncated. Named as the ORM names the trigger of the entity; it knows none on
   * truncate.
   */
  private appendOnly(table: string): void {
    const name = `${table}_${table}_append_only_fn`;
    this.addSql(
      `create function "${name}"() returns trigger as $$ begin raise exception '${table} is append-only' using errcode = 'integrity_constraint_violation'; end; $$ language plpgsql`,
    );
    this.addSql(
      `create trigger "${table}_append_only" before update or delete on "${table}" for each row execute function "${name}"()`,
    );
    this.addSql(
      `create trigger "${table}_no_truncate" before truncate on "${table}" for each statement execute function "${name}"()`,
    );
  }
}
