import { Migration } from '@mikro-orm/migrations';

/** Customers of the payment provider, the outbox of their charges (filled by a trigger on charges) and the webhook events dealt with. */
export class Migration20261121011840_payments extends Migration {

  override name = 'Migration20261121011840_payments';

  override up(): void | Promise<void> {
    this.addSql(`create table "meter_events" ("charge_id" text not null, "user_id" text not null, "nano_usd" bigint not null, "occurred_at" timestamptz(3) not null, "attempts" int not null default 0, "uncertain_since" timestamptz(3) null, "next_attempt_at" timestamptz(3) null, "sent_at" timestamptz(3) null, "last_error" text null, primary key ("charge_id"));`);
    this.addSql(`create index "meter_events_waiting_index" on "meter_events" ("next_attempt_at") where next_attempt_at is not null;`);

    this.addSql(`create table "stripe_events" ("id" text not null, "received_at" timestamptz(3) not null, primary key ("id"));`);

    this.addSql(`create table "payment_customers" ("user_id" text not null, "stripe_customer_id" text not null, "charged" numeric not null default '0', "metered_nano_usd" bigint not null default '0', "looks" int not null default 0, "created_at" timestamptz(3) not null, primary key ("user_id"));`);
    this.addSql(`alter table "payment_customers" add constraint "payment_customers_stripe_customer_id_unique" unique ("stripe_customer_id");`);

    this.addSql(`create or replace function "charges_charges_metered_fn"() returns trigger as \$\$ begin declare
    customer payment_customers;     mark bigint;   begin
    if new.charge = 0 then return null; end if;     perform from users where id = new.user_id for key share;     select * into customer from payment_customers where user_id = new.user_id for update;     if not found then return null; end if;     mark := greatest(customer.metered_nano_usd, floor((customer.charged + new.charge) * 1000000000));     update payment_customers set charged = charged + new.charge, metered_nano_usd = mark where user_id = new.user_id;     insert into meter_events (charge_id, user_id, nano_usd, occurred_at, next_attempt_at)
    values (new.id, new.user_id, mark - customer.metered_nano_usd, new.occurred_at, case when mark > customer.metered_nano_usd then clock_timestamp() end);     return null;   end; end; \$\$ language plpgsql;`);
    this.addSql(`create trigger "charges_metered" AFTER INSERT on "charges" for each ROW execute function "charges_charges_metered_fn"();`);

    this.addSql(`alter table "meter_events" add constraint "meter_events_value_check" check (nano_usd >= 0);`);

    this.addSql(`alter table "payment_customers" add constraint "payment_customers_user_id_foreign" foreign key ("user_id") references "users" ("id") on update cascade on delete restrict;`);
    this.addSql(`alter table "payment_customers" add constraint "payment_customers_metered_check" check (metered_nano_usd >= 0 and metered_nano_usd >= floor(charged * 1000000000));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "meter_events" cascade;`);
    this.addSql(`drop table if exists "stripe_events" cascade;`);
    this.addSql(`drop table if exists "payment_customers" cascade;`);

    this.addSql(`drop trigger if exists "charges_metered" on "charges";`);
    this.addSql(`drop function if exists "charges_charges_metered_fn"();`);
  }

}
