import { Migration } from '@mikro-orm/migrations';

/**
 * The indexes of GET /evals without the evals of experiments, which may be many more than the others, and with those of
 * one. Built without a lock.
 */
export class Migration20261126080000_evals_outside_experiments extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(
      `create index concurrently if not exists "evals_outside_experiments_index" on "evals" ("user_id", "id" collate "C") where experiment_id is null`,
    );
    this.addSql(
      `create index concurrently if not exists "evals_of_experiment_index" on "evals" ("experiment_id", "id" collate "C") where experiment_id is not null`,
    );
  }

  override down(): void {
    this.addSql(`drop index if exists "evals_of_experiment_index"`);
    this.addSql(`drop index if exists "evals_outside_experiments_index"`);
  }
}
