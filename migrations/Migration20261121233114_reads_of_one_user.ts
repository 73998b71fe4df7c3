import { Migration } from '@mikro-orm/migrations';

/** Pages of one user or target have an order of their own, by byte, so that no plan reads them from the primary key and with it everybody's rows. */
export class Migration20261121233114_reads_of_one_user extends Migration {
  override name = 'Migration20261121233114_reads_of_one_user';

  override up(): void {
    this.addSql(`create index "evals_by_user_index" on "evals" ("user_id", "id" collate "C");`);
    this.addSql(`drop index "evals_user_id_id_index";`);
    this.addSql(`create index "charges_by_user_and_month_index" on "charges" ("user_id", "month", "id" collate "C");`);
    this.addSql(`drop index "charges_user_id_month_id_index";`);
    this.addSql(`create index "audit_entries_by_target_index" on "audit_entries" ("target_id", "id" collate "C");`);
    this.addSql(`drop index "audit_entries_target_id_id_index";`);
  }

  override down(): void {
    this.addSql(`create index "audit_entries_target_id_id_index" on "audit_entries" ("target_id", "id");`);
    this.addSql(`drop index "audit_entries_by_target_index";`);
    this.addSql(`create index "charges_user_id_month_id_index" on "charges" ("user_id", "month", "id");`);
    this.addSql(`drop index "charges_by_user_and_month_index";`);
    this.addSql(`create index "evals_user_id_id_index" on "evals" ("user_id", "id");`);
    this.addSql(`drop index "evals_by_user_index";`);
  }
}
