import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Migration } from '@mikro-orm/migrations';
import { complaintsAbout, LARGE_TABLES, type MigrationText } from '../support/migration-rules';

const ROOT = join(__dirname, '../..');
const RELEASES = [...readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8').matchAll(/^## \[(\d+\.\d+\.\d+)\]/gm)].map(
  ([, version = '']) => version,
);

/** The statements of this build's migrations, in order. */
async function ours(): Promise<MigrationText[]> {
  const names = readdirSync(join(ROOT, 'migrations'))
    .filter((file) => file.endsWith('.ts'))
    .map((file) => file.replace(/\.ts$/, ''))
    .sort();
  return Promise.all(
    names.map(async (name) => {
      const loaded = (await import(join(ROOT, 'migrations', name))) as Record<string, new () => Migration>;
      const migration = new (loaded[name] as new () => Migration)();
      await migration.up();
      return { name, statements: migration.getQueries().map(String), isTransactional: migration.isTransactional() };
    }),
  );
}

const one = (...statements: string[]): MigrationText => ({ name: 'one', statements, isTransactional: true });
const complaints = (...migrations: MigrationText[]) => complaintsAbout(migrations, ['0.2.0']);

describe('The migrations', () => {
  it('are additive: the previous release works with them, and they hold no lock for long', async () => {
    const migrations = await ours();
    expect(migrations.flatMap(({ statements }) => statements).length).toBeGreaterThan(30);
    expect(complaintsAbout(migrations, RELEASES)).toEqual([]);
  });

  it('make every table that the rule calls large', async () => {
    const text = (await ours()).flatMap(({ statements }) => statements).join('\n');
    expect(LARGE_TABLES.filter((table) => !text.includes(`create table "${table}"`))).toEqual([]);
  });
});

describe('The rule for migrations', () => {
  it.each([
    ['drop table "shares"', 'unused since'],
    ['truncate results', 'unused since'],
    ['DROP INDEX evals_by_user_index', 'unused since'],
    ['alter table "evals" drop column "input"', 'unused since'],
    ['alter table evals alter column samples drop default', 'unused since'],
    ['alter table only public.evals drop constraint evals_user_id_foreign', 'unused since'],
    ['alter table evals rename column input to text', 'another name'],
    ['alter table if exists evals rename to comparisons', 'another name'],
    ['alter index evals_by_user_index rename to evals_index', 'unused since'],
    ['alter table evals set schema old', 'another name'],
    ['alter function record_charge() set schema old', 'unused since'],
    ['alter table evals alter "max_tokens" type bigint', 'whole table anew'],
    ['alter table evals add note text, alter column max_tokens set data type bigint', 'whole table anew'],
    ['alter table evals alter column input set not null', 'prove it first'],
    ['alter table evals add constraint c check (samples > 0)', '"not valid"'],
    ['alter table evals add check (samples in (1, 2))', '"not valid"'],
    ['alter table runs add constraint f foreign key (eval_id) references evals (id)', '"not valid"'],
    ['alter table evals add constraint u unique (id, user_id)', '"using index"'],
    ['alter table evals add primary key (user_id, id)', '"using index"'],
    ['alter table evals add exclude using gist (id with =)', '"using index"'],
    ['alter table evals add column token text unique', 'add the column alone'],
    ['alter table evals add number int primary key', 'add the column alone'],
    ['alter table evals add marks int check (marks > 0)', 'add the column alone'],
    ['alter table evals add twice int generated always as (samples * 2) stored', 'plain value'],
    ['alter table evals add column note text not null', 'give it a default'],
    ['alter table results add user_id text references users (id)', 'add the column alone'],
    ['alter table results add token uuid null default gen_random_uuid()', 'plain value'],
    ['create index "i" on "evals" ("created_at")', 'build it concurrently'],
    ['create unique index on charges (eval_id)', 'build it concurrently'],
    ['create index concurrently i on evals (created_at)', 'migration of its own'],
    ["select 1; /* a comment; */ alter table evals /* of ours */ drop column 'x'", 'unused since'],
  ])('refuses %s', (statement, words) => {
    expect(complaints(one(statement))).toEqual([expect.stringContaining(words)]);
  });

  it.each(LARGE_TABLES)('refuses an index on %s that is built under a lock', (table) => {
    expect(complaints(one(`create index i on ${table} (user_id)`))).toHaveLength(1);
  });

  it.each([
    ['create table "notes" ("id" text primary key, unique ("id"))'],
    ["alter table evals add note text null, add marks int not null default 1, add kind text not null default 'a(b)'"],
    ['alter table evals alter column input drop not null'],
    ['alter table evals add constraint c check (samples > 0) not valid'],
    ['alter table evals add constraint u unique using index evals_u'],
    ['alter table evals validate constraint c'],
    ['create index i on api_keys (name)'],
    ['create function f() returns trigger as $$ begin drop table evals; end; $$ language plpgsql'],
    ["insert into stripe_events values ('drop; alter table evals drop column input')"],
    ['-- drop table evals\nselect 1'],
  ])('lets pass %s', (statement) => {
    expect(complaints(one(statement))).toEqual([]);
  });

  it('lets a migration do anything with a table that it has made itself', () => {
    const statements = [
      'create table notes (id text)',
      'alter table notes alter id set not null, add constraint u unique (id)',
      'create index i on notes (id)',
    ];
    expect(complaints(one(...statements))).toEqual([]);
    const [first = '', ...others] = ['create table runs (id text)', 'create index i on runs (id)'];
    expect(complaints(one(first, ...others))).toEqual([]);
    expect(complaints(one(first), { ...one(...others), name: 'two' })).toEqual([
      expect.stringContaining('two: "create index i on runs (id)"'),
    ]);
  });

  it('lets go what no release uses any more, when the migration says since which', () => {
    for (const statement of [
      'drop table shares',
      'alter table evals drop column input',
      'alter table evals rename to e',
      'alter table evals alter max_tokens type bigint',
    ]) {
      expect(complaints(one(`/* unused since 0.2.0 */ ${statement}`))).toEqual([]);
      expect(complaints(one(`/* unused since 9.9.9 */ ${statement}`))).toEqual(['one: there was no release 9.9.9']);
      expect(complaints(one('/* unused since 0.2.0 */ select 1', statement))).toHaveLength(1);
    }
    expect(complaints(one('/* unused since 0.2.0 */ alter table evals add unique (id)'))).toHaveLength(1);
  });

  it('lets "set not null" pass after a check of that column that another migration has validated', () => {
    const add = { ...one('alter table evals add constraint n check (input is not null) not valid'), name: 'add' };
    const validate = { ...one('alter table evals validate constraint n'), name: 'validate' };
    const set = { ...one('alter table evals alter column input set not null'), name: 'set' };
    expect(complaints(add, validate, set)).toEqual([]);
    expect(complaints(add, { ...validate, statements: [...validate.statements, ...set.statements] })).toEqual([]);
    expect(complaints(add, set)).toHaveLength(1);
    expect(complaints({ ...add, statements: [...add.statements, ...validate.statements] }, set)).toHaveLength(1);
    expect(complaints(add, validate, one('alter table evals alter column prompt set not null'))).toHaveLength(1);
    expect(complaints(add, validate, one('alter table runs alter column input set not null'))).toHaveLength(1);
  });

  it('lets an index be built concurrently outside the transaction, and nothing else there', () => {
    const outside = (statement: string) => complaints({ ...one(statement), isTransactional: false });
    expect(outside('create unique index concurrently if not exists i on evals (created_at)')).toEqual([]);
    expect(outside('alter table evals add note text')).toHaveLength(1);
    expect(outside('create table notes (id text)')).toHaveLength(1);
  });
});
