import { Migration } from '@mikro-orm/migrations';

/** Earlier turns of a conversation in rows of data sets. */
export class Migration20261129110000_history_of_dataset_rows extends Migration {
  override up(): void {
    this.addSql(`alter table "dataset_rows" add column if not exists "history" jsonb null`);
  }

  override down(): void {
    this.addSql(`alter table "dataset_rows" drop column "history"`);
  }
}
