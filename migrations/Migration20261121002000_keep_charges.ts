import { Migration } from '@mikro-orm/migrations';

/** Charges are append-only: the database itself refuses to change or delete them. A correction is a new row. */
export class Migration20261121002000_keep_charges extends Migration {
  override name = 'Migration20261121002000_keep_charges';

  override up(): void {
    this.addSql(`create function "refuse_change"() returns trigger language plpgsql as $$
      begin
        raise exception '% is append-only', tg_table_name using errcode = 'integrity_constraint_violation';
      end $$;`);
    this.addSql(`create trigger "charges_append_only" before update or delete on "charges" for each row execute function "refuse_change"();`);
    this.addSql(`create trigger "charges_no_truncate" before truncate on "charges" for each statement execute function "refuse_change"();`);
  }

  override down(): void {
    this.addSql(`drop trigger "charges_no_truncate" on "charges";`);
    this.addSql(`drop trigger "charges_append_only" on "charges";`);
    this.addSql(`drop function "refuse_change"();`);
  }
}
