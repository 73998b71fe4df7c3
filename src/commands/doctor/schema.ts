import { MikroORM } from '@mikro-orm/postgresql';
import { count } from '../../bootstrap/terminal';
import { migrationNames } from '../../platform/database/migrate';
import { IS_OF_0_1_0, isOf010 } from '../../platform/database/older-schema';
import { ormOptions } from '../../mikro-orm.config';
import { broken, ok, warning, type Judgment } from './finding';
import type { Session } from './session';

const MIGRATE = 'run `npm run db:migrate` (in the image: node dist/src/commands/migrate.js)';
const MAX_NAMES = 5;

/** The triggers that protect and meter the ledger. */
export const TRIGGERS = [
  'audit_entries_append_only',
  'audit_entries_no_truncate',
  'charges_append_only',
  'charges_metered',
  'charges_no_truncate',
];
/** Tables whose rows are never changed, and tables whose rows are deleted when their time is over. */
const [APPEND_ONLY, DELETED_FROM] = [
  ['charges', 'audit_entries', 'erased_evals'],
  ['datasets', 'evals', 'experiment_rows', 'idempotency_keys', 'reservations', 'runs', 'shares', 'stripe_events'],
];

/** The schema that this build needs: migrations, columns by table, triggers. */
export interface NeededSchema {
  migrations: string[];
  tables: Map<string, string[]>;
}

/** Reads it from the entities and the folder of migrations, without connecting. */
export async function neededSchema(databaseUrl: string): Promise<NeededSchema> {
  const orm = await MikroORM.init(ormOptions({ DATABASE_URL: databaseUrl, DATABASE_POOL_MAX: 1 }));
  try {
    const entities = [...orm.getMetadata().getAll().values()];
    return {
      migrations: migrationNames(orm).sort(),
      tables: new Map(
        entities.map(({ tableName, props }) => [tableName, props.flatMap(({ fieldNames }) => fieldNames ?? [])]),
      ),
    };
  } finally {
    await orm.close();
  }
}

/**
 * Diagnoses that the database has every migration of this build, the tables they create, and the triggers of the
 * ledger.
 */
export async function diagnoseSchema(session: Session, needed: NeededSchema): Promise<Judgment> {
  const columns = await session.query<{ path: string }>(`
    select relname || '.' || attname as path from pg_attribute join pg_class on pg_class.oid = attrelid
    where relnamespace = to_regnamespace(current_schema()) and relkind in ('r', 'p') and attnum > 0 and not attisdropped`);
  const there = new Set(columns.map(({ path }) => path));
  const applied = there.has('migrations.name')
    ? await session.query<{ name: string }>('select distinct name from migrations')
    : [];
  const triggers = await session.query<{ name: string }>(
    "select tgname as name from pg_trigger where tgname = any($1) and tgenabled <> 'D'",
    [TRIGGERS],
  );
  const missing = TRIGGERS.filter((name) => !triggers.some((trigger) => trigger.name === name));
  const verdict = judgeSchema(
    needed,
    applied.map(({ name }) => name),
    there,
  );
  if (verdict.status !== 'ok' || missing.length === 0) return verdict;
  return broken(
    `${someOf(missing)} ${missing.length === 1 ? 'is' : 'are'} missing or disabled, as after a restore of data only: charges could be changed, or not reach the payment provider. Restore a whole dump into an empty database.`,
  );
}

/** The verdict on the applied migrations and the existing columns (`table.column`). */
export function judgeSchema(
  { migrations, tables }: NeededSchema,
  applied: readonly string[],
  there: ReadonlySet<string>,
): Judgment {
  if (isOf010((column) => there.has(`month_totals.${column}`))) return broken(IS_OF_0_1_0);
  const [pending, newer] = [
    migrations.filter((name) => !applied.includes(name)),
    applied.filter((name) => !migrations.includes(name)),
  ];
  const lacking = [...tables]
    .flatMap(([table, columns]) => columns.map((column) => `${table}.${column}`))
    .filter((path) => !there.has(path));
  if (pending.length === 0 && lacking.length > 0)
    return broken(
      `Half migrated: all migrations are on the list, but these are missing: ${someOf(lacking)}. Restore a whole dump into an empty database.`,
    );
  if (pending.length > 0 && lacking.length === 0)
    return broken(
      `Half migrated: everything is there, but ${someOf(pending)} is not on the list of migrations, and would fail. Restore a whole dump into an empty database.`,
    );
  if (pending.length > 0)
    return broken(`${applied.length === 0 ? 'No migration is applied' : `${someOf(pending)} is pending`}: ${MIGRATE}.`);
  return ok(
    `All ${count(migrations.length, 'migration')} of this version are applied${newer.length === 0 ? '' : `, and ${newer.length} of a newer one, which does no harm`}.`,
  );
}

function someOf(names: readonly string[]): string {
  return (
    names.slice(0, MAX_NAMES).join(', ') + (names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '')
  );
}

type Rights = { role: string; schema: string | null } & Record<'isSuperuser' | 'mayCreate', boolean> &
  Record<'notOwned' | 'notReadable' | 'notWritable', string[]>;

/** Diagnoses the rights of the role of DATABASE_URL. */
export async function diagnosePrivileges(
  session: Session,
  { tables }: NeededSchema,
  isMigrating: boolean,
): Promise<Judgment> {
  return judgePrivileges(
    await session.queryOne<Rights>(
      `
    with ours as (select oid, relname, relowner from pg_class where relnamespace = to_regnamespace(current_schema()) and relkind in ('r', 'p') and relname = any($1 || '{migrations}'::text[]))
    select current_user as role, (select rolsuper from pg_roles where rolname = current_user) as "isSuperuser", current_schema() as schema,
      coalesce(has_schema_privilege(current_schema(), 'create'), false) as "mayCreate",
      array(select relname::text from ours where not pg_has_role(relowner, 'usage') order by 1) as "notOwned",
      array(select relname::text from ours where not has_table_privilege(oid, 'select') order by 1) as "notReadable",
      array(select relname::text from ours where relname <> 'migrations' and not (has_table_privilege(oid, 'insert')
        and (relname = any($2) or has_table_privilege(oid, 'update')) and (not relname = any($3) or has_table_privilege(oid, 'delete'))) order by 1) as "notWritable"`,
      [[...tables.keys()], APPEND_ONLY, DELETED_FROM],
    ),
    isMigrating,
  );
}

/** The verdict on these rights; `isMigrating` if the service itself migrates. */
export function judgePrivileges(
  { role, isSuperuser, schema, mayCreate, notOwned, notReadable, notWritable }: Rights,
  isMigrating: boolean,
): Judgment {
  if (schema === null)
    return broken(`The role ${role} has no schema: its search_path names none that exists, or none that it may use.`);
  if (notReadable.length > 0) return broken(`The role ${role} may not read ${someOf(notReadable)}.`);
  if (notWritable.length > 0)
    return broken(`The role ${role} lacks insert, update or delete on ${someOf(notWritable)}.`);
  const mayMigrate = mayCreate && notOwned.length === 0;
  const why = mayCreate ? `does not own ${someOf(notOwned)}` : `may not create tables in the schema ${schema}`;
  if (!mayMigrate && isMigrating)
    return broken(`The role ${role} ${why}, so MIGRATE_ON_START cannot apply a migration.`);
  if (!mayMigrate) return ok(`The role ${role} reads and writes everything and ${why}: migrations need the owner.`);
  if (isSuperuser)
    return warning(
      `The role ${role} is a superuser, whom nothing is forbidden. Give the service a role that owns this database and nothing else.`,
    );
  return ok(`The role ${role} owns the tables and may create more.`);
}
