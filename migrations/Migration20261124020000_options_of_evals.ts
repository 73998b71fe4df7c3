import { Migration } from '@mikro-orm/migrations';

/**
 * Evals keep the options that few compares set. The type is json and not jsonb, because models follow the order of a
 * schema's members. Additive: the release before works with it.
 */
export class Migration20261124020000_options_of_evals extends Migration {
  override up(): void {
    this.addSql(`alter table "evals" add "options" json null`);
  }

  override down(): void {
    this.addSql(`alter table "evals" drop column "options"`);
  }
}
