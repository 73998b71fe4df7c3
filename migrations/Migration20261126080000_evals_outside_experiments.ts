import { Migration } from '@mikro-orm/migrations';

/** The index of GET /evals without the evals of experiments, which may be many more than the others. Built without a lock. */
export class Migration20261126080000_evals_outside_experiments extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(`create index concurrently if not exists "evals_outside_experiments_index" on "evals" ("user_id", "id" collate "C") where experiment_id is null`);
  }

  override down(): void {
    this.addSql(`drop index if exists "evals_outside_experiments_index"`);
  }
}
