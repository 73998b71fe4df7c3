import { Migration } from '@mikro-orm/migrations';

/** Data sets and their rows. Additive: the release before works with it. */
export class Migration20261126060000_datasets extends Migration {
  override up(): void {
    this.addSql(`
      create table "datasets" (
        "id" text not null primary key,
        "user_id" text not null,
        "name" text not null,
        "sha256" text not null,
        "row_count" integer not null,
        "group_count" integer not null,
        "bytes" bigint not null,
        "columns" text[] not null,
        "created_at" timestamptz(3) not null,
        constraint "datasets_user_id_foreign" foreign key ("user_id") references "users" ("id") on delete restrict
      )`);
    this.addSql(`create index "datasets_by_user_index" on "datasets" ("user_id", "id" collate "C")`);
    this.addSql(`alter table "datasets" add constraint "datasets_content_unique" unique ("user_id", "name", "sha256")`);
    this.addSql(`
      create table "dataset_rows" (
        "dataset_id" text not null,
        "no" integer not null,
        "line" integer not null,
        "row_id" text not null,
        "input" text null,
        "expected" text null,
        "group_id" text null,
        "variables" jsonb null,
        "checks" jsonb null,
        primary key ("dataset_id", "no"),
        constraint "dataset_rows_dataset_id_foreign" foreign key ("dataset_id") references "datasets" ("id") on delete cascade
      )`);
    this.addSql(
      `alter table "dataset_rows" add constraint "dataset_rows_row_id_unique" unique ("dataset_id", "row_id")`,
    );
  }

  override down(): void {
    this.addSql(`drop table "dataset_rows"`);
    this.addSql(`drop table "datasets"`);
  }
}
