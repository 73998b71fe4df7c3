import { Migration } from '@mikro-orm/migrations';

/** Evals keep their `max_cost_usd`, so that a rerun has it too. Additive: the release before works with it. */
export class Migration20261123140000_max_cost_of_evals extends Migration {
  override up(): void {
    this.addSql(`alter table "evals" add "max_cost" numeric null`);
  }

  override down(): void {
    this.addSql(`alter table "evals" drop column "max_cost"`);
  }
}
