import { Migration } from '@mikro-orm/migrations';

/** The audit log, which the database refuses to change. The trigger on truncate is by hand, because the ORM does not see such. */
export class Migration20261121031101_audit_entries extends Migration {
  override name = 'Migration20261121031101_audit_entries';

  override up(): void {
    this.addSql(`create table "audit_entries" ("id" text not null, "at" timestamptz(3) not null, "action" text not null, "target_type" text not null, "target_id" text not null, "actor" text not null, "request_id" text null, "address" text null, "changes" jsonb not null, primary key ("id"));`);
    this.addSql(`create index "audit_entries_target_id_id_index" on "audit_entries" ("target_id", "id");`);
    this.addSql(`create or replace function "audit_entries_audit_entries_append_only_fn"() returns trigger as \$\$ begin raise exception 'audit_entries is append-only' using errcode = 'integrity_constraint_violation'; end; \$\$ language plpgsql;`);
    this.addSql(`create trigger "audit_entries_append_only" BEFORE UPDATE OR DELETE on "audit_entries" for each ROW execute function "audit_entries_audit_entries_append_only_fn"();`);
    this.addSql(`create trigger "audit_entries_no_truncate" before truncate on "audit_entries" for each statement execute function "audit_entries_audit_entries_append_only_fn"();`);
  }

  override down(): void {
    this.addSql(`drop table if exists "audit_entries" cascade;`);
    this.addSql(`drop function if exists "audit_entries_audit_entries_append_only_fn"();`);
  }
}
