import { Migration } from '@mikro-orm/migrations';

/** A share shows an eval or an experiment. */
export class Migration20261128130000_shares_of_experiments extends Migration {
  override up(): void {
    this.addSql(`alter table "shares" alter column "eval_id" drop not null`);
    this.addSql(`alter table "shares" add column if not exists "experiment_id" text null`);
    this.addSql(
      `alter table "shares" add constraint "shares_experiment_id_foreign" foreign key ("experiment_id") references "experiments" ("id") on delete cascade not valid`,
    );
    this.addSql(`create index "shares_by_experiment_index" on "shares" ("experiment_id", "id" collate "C")`);
  }

  override down(): void {
    this.addSql(`delete from "shares" where "eval_id" is null`);
    this.addSql(`drop index "shares_by_experiment_index"`);
    this.addSql(`alter table "shares" drop column "experiment_id"`);
    this.addSql(`alter table "shares" alter column "eval_id" set not null`);
  }
}
