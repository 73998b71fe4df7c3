import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const SRC = join(__dirname, '../../src');

/** Files that may name the tables of other modules, and why. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'commands/ledger-verify.ts': 'an audit compares what the modules say with each other',
  'commands/ledger-verify/*.sql': 'an audit compares what the modules say with each other',
  'modules/billing/reservations.repository.ts':
    'a reservation is decided with the quota and the limit that its user has at that moment',
  'platform/database/migrate.ts': 'tables with charges in them are not dropped in production',
  'platform/database/expiring-rows.ts': 'one task deletes the expired rows of every module',
  'modules/execution/settlement/settlement.repository.ts': 'an eval is stored and charged in one statement',
};

const ENTITY = /@Entity\(\{ tableName: '(\w+)'[\s\S]*?export class (\w+)/;
const COMMENTS = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*|(?<=^|\s)-- .*/g;
/** The tables behind these words of SQL, with or without an alias, one or several. */
const TABLES_OF_SQL =
  /\b(?:from|join|into|update|using|references|table|truncate)\s+((?:"?\w+"?(?:\s+(?:as\s+)?\w+)?\s*,\s*)*"?\w+"?)/g;
/** The entities that are handed to the entity manager. */
const ENTITIES_OF_ORM =
  /\.(?:find\w*|insert\w*|native\w+|count\w*|upsert\w*|getRepository|createQueryBuilder|create|getReference)\(\s*([A-Z]\w+)/g;

interface Table {
  table: string;
  entity: string;
  module: string;
}

const moduleOf = (file: string) => /^(?:modules|platform)\/([^/]+)/.exec(file)?.[1] ?? file.split('/')[0] ?? '';
const sources = globSync('**/*.{ts,sql}', { cwd: SRC })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => !file.endsWith('.spec.ts'));

const tables: Table[] = sources
  .filter((file) => file.endsWith('.entity.ts'))
  .map((file) => {
    const [, table, entity] = ENTITY.exec(readFileSync(join(SRC, file), 'utf8')) ?? [];
    if (table === undefined || entity === undefined) throw new Error(`No table in ${file}.`);
    return { table, entity, module: moduleOf(file) };
  });

/** The tables that a text names, in SQL or by their entity. */
function tablesIn(text: string): Table[] {
  const code = text.replace(COMMENTS, ' ');
  const names = [...code.matchAll(TABLES_OF_SQL)].flatMap(([, list = '']) =>
    list.split(',').map((item) => item.trim().split(/\s+/)[0]?.replaceAll('"', '')),
  );
  const entities = [...code.matchAll(ENTITIES_OF_ORM)].map(([, name]) => name);
  return tables.filter(({ table, entity }) => names.includes(table) || entities.includes(entity));
}

const isException = (file: string) =>
  Object.keys(EXCEPTIONS).some(
    (pattern) =>
      file === pattern ||
      (pattern.endsWith('/*.sql') && file.startsWith(pattern.slice(0, -'*.sql'.length)) && file.endsWith('.sql')),
  );

describe('The tables', () => {
  it.each([
    ['select * from charges c', ['charges']],
    ['from due, payment_customers customer where', ['payment_customers']],
    ['insert into "users" (id)', ['users']],
    ['update month_totals as total set', ['month_totals']],
    ['delete from reservations using (select from month_totals', ['month_totals', 'reservations']],
    ['tx.nativeUpdate(User, { id }, { hasPaymentMethod })', ['users']],
    ['// read from charges\n/* update users */', []],
    ["import type { Charge } from './charge.entity';", []],
  ])('are found in %j', (text, expected) => {
    expect(
      tablesIn(text)
        .map(({ table }) => table)
        .sort(),
    ).toEqual(expected);
  });

  it('are each read and written by one module only', () => {
    const strangers = sources
      .filter((file) => !isException(file))
      .flatMap((file) =>
        tablesIn(readFileSync(join(SRC, file), 'utf8'))
          .filter(({ module }) => module !== moduleOf(file))
          .map(({ table }) => `${relative(SRC, join(SRC, file))}: ${table}`),
      );
    expect(strangers).toEqual([]);
  });

  it('are all recognized by this test in their own module', () => {
    const seen = new Set(
      sources.flatMap((file) =>
        tablesIn(readFileSync(join(SRC, file), 'utf8'))
          .filter(({ module }) => module === moduleOf(file))
          .map(({ table }) => table),
      ),
    );
    expect([...seen].sort()).toEqual(tables.map(({ table }) => table).sort());
  });
});
