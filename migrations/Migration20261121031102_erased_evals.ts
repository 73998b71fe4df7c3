import { Migration } from '@mikro-orm/migrations';

/** What the books need of evals that were erased. */
export class Migration20261121031102_erased_evals extends Migration {
  override name = 'Migration20261121031102_erased_evals';

  override up(): void {
    this.addSql(`create table "erased_evals" ("eval_id" text not null, "user_id" text not null, "erased_at" timestamptz(3) not null, "receipts" jsonb not null, primary key ("eval_id"));`);
    this.addSql(`alter table "erased_evals" add constraint "erased_evals_user_id_foreign" foreign key ("user_id") references "users" ("id") on delete restrict;`);
  }

  override down(): void {
    this.addSql(`drop table if exists "erased_evals" cascade;`);
  }
}
