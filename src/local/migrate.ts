import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { sql } from 'kysely';

/** Any number; every process that migrates this service's database takes the same. */
const MIGRATION_LOCK = 7_263_481;

/** Applies the pending migrations and names them; of several processes at once, one does it and the others wait. */
export async function migrate({ em, migrator }: { em: EntityManager; migrator: MikroORM['migrator'] }): Promise<string[]> {
  return em.fork().transactional(async (tx) => {
    await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(tx.getKysely());
    const applied = await migrator.up();
    return applied.map(({ name }) => name);
  });
}
