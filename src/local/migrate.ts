import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';

/** Any number; every process that migrates this service's database takes the same. */
const MIGRATION_LOCK = 7_263_481;

/** Applies the pending migrations and names them; of several processes at once, one does it and the others wait. */
export async function migrate({ em, migrator }: { em: EntityManager; migrator: MikroORM['migrator'] }): Promise<string[]> {
  return em.fork().transactional(async (tx) => {
    await tx.execute('select pg_advisory_xact_lock(?)', [MIGRATION_LOCK]);
    const applied = await migrator.up();
    return applied.map(({ name }) => name);
  });
}
