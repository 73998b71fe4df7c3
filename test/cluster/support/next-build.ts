import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../support/temporary-folder';

const ROOT = join(__dirname, '../../..');

/** Additive, as every migration is: the build before works with what it leaves. */
const MIGRATION = `
const { Migration } = require('@mikro-orm/migrations');
exports.Migration29991231000000_next = class Migration29991231000000_next extends Migration {
  up() {
    this.addSql('alter table "evals" add "of_the_next_build" text null');
    this.addSql('alter table "charges" add "of_the_next_build" int not null default 0');
    this.addSql('create table "next_build" ("id" text not null primary key)');
  }
};
`;

/** This build with one more migration, in a separate folder: a next release for a running service. */
export function nextBuild(): { main: string; migrate: string; migration: string } {
  const folder = temporaryFolder();
  cpSync(join(ROOT, 'dist'), join(folder, 'dist'), { recursive: true });
  for (const file of ['package.json', 'README.md']) cpSync(join(ROOT, file), join(folder, file));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const migration = 'Migration29991231000000_next';
  writeFileSync(join(folder, `dist/migrations/${migration}.js`), MIGRATION);
  return { main: join(folder, 'dist/src/main.js'), migrate: join(folder, 'dist/src/commands/migrate.js'), migration };
}
