import { Migration } from '@mikro-orm/migrations';

/** What a key may do; the keys there are may do all. */
export class Migration20261121031057_key_scopes extends Migration {
  override name = 'Migration20261121031057_key_scopes';

  override up(): void {
    this.addSql(`alter table "api_keys" add "scopes" text[] null;`);
  }

  override down(): void {
    this.addSql(`alter table "api_keys" drop column "scopes";`);
  }
}
