import { Migration } from '@mikro-orm/migrations';

/**
 * Preferences among the answers of evals; notes and stars on evals. Additive: the release before works with it, and its
 * erasures end both with the eval.
 */
export class Migration20261124053000_preferences_and_annotations extends Migration {
  override up(): void {
    this.addSql(`
      create table "preferences" (
        "eval_id" text not null,
        "key_id" text not null,
        "user_id" text not null,
        "preferred" text not null,
        "answered" text[] not null,
        "blind" boolean not null,
        "reason" text null,
        "created_at" timestamptz(3) not null,
        primary key ("eval_id", "key_id"),
        constraint "preferences_eval_id_foreign" foreign key ("eval_id") references "evals" ("id") on delete cascade,
        constraint "preferences_user_id_foreign" foreign key ("user_id") references "users" ("id") on delete restrict
      )`);
    this.addSql(`create index "preferences_by_user_index" on "preferences" ("user_id", "created_at")`);
    this.addSql(`
      create table "annotations" (
        "eval_id" text not null primary key,
        "user_id" text not null,
        "note" text null,
        "starred" boolean not null,
        constraint "annotations_eval_id_foreign" foreign key ("eval_id") references "evals" ("id") on update cascade on delete cascade,
        constraint "annotations_user_id_foreign" foreign key ("user_id") references "users" ("id") on delete restrict
      )`);
    this.addSql(
      `create index "annotations_starred_index" on "annotations" ("user_id", "eval_id" collate "C") where starred`,
    );
  }

  override down(): void {
    this.addSql(`drop table "annotations"`);
    this.addSql(`drop table "preferences"`);
  }
}
