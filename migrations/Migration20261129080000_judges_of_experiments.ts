import { Migration } from '@mikro-orm/migrations';

/** Experiments of judges, and votes of people on what they judge. */
export class Migration20261129080000_judges_of_experiments extends Migration {
  override up(): void {
    this.addSql(`alter table "experiments" add column if not exists "judge_of" text null`);
    this.addSql(`create index "experiments_judge_of_index" on "experiments" ("judge_of") where judge_of is not null`);
    this.addSql(`alter table "shares" add column if not exists "votes" boolean not null default false`);
    this.addSql(
      `create table "experiment_votes" ("experiment_id" text not null, "row_no" int not null, "item_no" int not null, "voter" text not null, "winner" text not null, "is_random" boolean not null, "voted_at" timestamptz(3) not null, primary key ("experiment_id", "row_no", "item_no", "voter"))`,
    );
    this.addSql(
      `alter table "experiment_votes" add constraint "experiment_votes_experiment_id_foreign" foreign key ("experiment_id") references "experiments" ("id") on delete cascade`,
    );
  }

  override down(): void {
    this.addSql(`drop table "experiment_votes"`);
    this.addSql(`alter table "shares" drop column "votes"`);
    this.addSql(`drop index "experiments_judge_of_index"`);
    this.addSql(`alter table "experiments" drop column "judge_of"`);
  }
}
