import { Migration } from '@mikro-orm/migrations';

/** The decision after an experiment. */
export class Migration20261128120000_decisions_on_experiments extends Migration {
  override up(): void {
    this.addSql(`alter table "experiments" add column if not exists "decision" json null`);
  }

  override down(): void {
    this.addSql(`alter table "experiments" drop column if exists "decision"`);
  }
}
