import { Migration } from '@mikro-orm/migrations';

/** Charges are not truncated either. By hand, because the ORM does not see triggers on truncate. */
export class Migration20261121004500_keep_charges_from_truncate extends Migration {
  override name = 'Migration20261121004500_keep_charges_from_truncate';

  override up(): void {
    this.addSql(`create trigger "charges_no_truncate" before truncate on "charges" for each statement execute function "charges_charges_append_only_fn"();`);
  }

  override down(): void {
    this.addSql(`drop trigger "charges_no_truncate" on "charges";`);
  }
}
