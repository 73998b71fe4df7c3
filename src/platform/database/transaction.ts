import type { EntityManager } from '@mikro-orm/postgresql';

/** The entity manager of an open transaction, for files that pass it on and do not use the ORM. */
export type Transaction = EntityManager;
