import type { EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery } from 'kysely';

/**
 * The rows of a hand-written statement with `$1`, `$2` … for its values, within the transaction of an entity manager if
 * it has one. Columns come as the driver reads them. @throws what the driver throws
 */
export async function execute<Row>(em: EntityManager, text: string, values: unknown[]): Promise<Row[]> {
  return (await em.getKysely().executeQuery<Row>(CompiledQuery.raw(text, values))).rows;
}
