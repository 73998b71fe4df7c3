import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { OperatorError, REFUSED } from '../../common/operator-error';

/** The message for a database of 0.1.0, instead of the missing names of its schema. */
export const IS_OF_0_1_0 =
  'This database is of version 0.1.0, from which there is no upgrade. Nothing was changed; give this version an empty database.';

/** Reads the catalogs only. @throws OperatorError for a database of 0.1.0, whose totals had no held amounts */
export async function refuseOlderSchema(em: EntityManager): Promise<void> {
  const {
    rows: [schema],
  } = await sql<{ columns: string[] }>`
    select array(select attname::text from pg_attribute where attrelid = to_regclass('month_totals')) as columns`.execute(
    em.fork().getKysely(),
  );
  if (isOf010((name) => schema?.columns.includes(name) === true)) throw new OperatorError(IS_OF_0_1_0, REFUSED);
}

/** True if the totals of a month have the columns of 0.1.0. */
export function isOf010(has: (column: string) => boolean): boolean {
  return has('free_eval_count') && !has('held');
}
