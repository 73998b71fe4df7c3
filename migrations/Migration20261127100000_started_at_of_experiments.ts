import { Migration } from '@mikro-orm/migrations';

/** The start of an experiment without its pauses, by which the time left is estimated. */
export class Migration20261127100000_started_at_of_experiments extends Migration {
  override up(): void {
    this.addSql(`alter table "experiments" add column if not exists "started_at" timestamptz(3) null`);
  }

  override down(): void {
    this.addSql(`alter table "experiments" drop column if exists "started_at"`);
  }
}
