import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * How long some work may wait for a connection of the pool: `urgent` has connections kept for it, `brief` is refused
 * early.
 */
type Urgency = 'urgent' | 'brief';

const urgencies = new AsyncLocalStorage<Urgency>();

/** Does work that must not wait behind requests: it may use every connection of the pool. */
export function urgently<T>(work: () => Promise<T>): Promise<T> {
  return urgencies.run('urgent', work);
}

/** Does work that is refused rather than made to wait long for a connection, unless it is part of urgent work. */
export function briefly<T>(work: () => Promise<T>): Promise<T> {
  return urgencies.getStore() === 'urgent' ? work() : urgencies.run('brief', work);
}

/** The urgency of the work that asks; undefined where nothing was said. */
export function currentUrgency(): Urgency | undefined {
  return urgencies.getStore();
}
