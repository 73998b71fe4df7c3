import { setTimeout as delay } from 'node:timers/promises';

/**
 * SQLSTATE of a database that cannot do its work now: connections (08; 08P01 is decided by its words), shut down or
 * starting (57P), out of resources (53), a statement or a wait
 * that took too long (57014, 55P03), a transaction that idled (25P03), a server that is no longer the primary (25006);
 * and Node's words for a socket that leads nowhere.
 */
const CODES =
  /^(08(?!P01)...|57P0.|53...|57014|55P03|25P03|25006|ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;

/** Messages of pg and its pool that have no code. */
const WORDS =
  /^(Connection terminated|timeout exceeded when trying to connect$|timeout expired$|Query read timeout$|Client has encountered a connection error|Client was closed)/;

/** PgBouncer reports its own errors as 08P01, by which Postgres means a message that it cannot read. */
const POOLER_CODE = '08P01';

/**
 * PgBouncer has no server, or has lost the server of this connection. It says "invalid server parameter" when the
 * server shuts down while PgBouncer sets the client's parameters.
 */
const POOLER_AWAY =
  /server_login_retry|^invalid server parameter$|server down|^(pgbouncer )?cannot connect|^connect (failed|timeout|string changed)|^server (conn(ection)? |DNS |login failed|shutting down|lifetime over)|shutting down$|dropped, exiting$|^admin forced disconnect$|^database (configuration changed|removed)|^obsolete connection$|^evicted$|^client_idle_timeout$/;

/** PgBouncer is full, or something took too long. */
const POOLER_FULL =
  /^query_wait_timeout|^client_login_timeout$|^no more connections|connections exceeded|^suspend_timeout$/;
const POOLER_SLOW = /^query[ _]timeout$|transaction[ _]timeout$|^out of memory$|resources exhaustion$/;

/** The message of our pool when none of its connections was free in time. */
export const NO_CONNECTION = 'No connection of the pool was free in time.';

/** No connection is left: SQLSTATE, and the words of `pg` and of our pool. */
const FULL_CODES = /^53300$/;
const FULL_WORDS = /^(timeout exceeded when trying to connect$|No connection of the pool was free)/;

/** Of these, a connection that broke while it was used; what was sent over it may have been done. */
const LOST_CODES = /^(08(?!P01)...|57P0[12]|ECONN(RESET|ABORTED)|EPIPE)$/;
const LOST_WORDS =
  /^(Connection terminated( unexpectedly)?$|Client has encountered a connection error|Client was closed)/;

/** A prepared statement that the server does not know, or knows already: it was refused before it ran. */
const REFUSED_CODES = /^(26000|42P05)$/;

/** A server that only reads since another became the primary. */
const READ_ONLY_CODES = /^25006$/;

/**
 * Errors after which a connection is not used: refused statements and messages (08P01), and a server that only reads
 * since another became the primary.
 */
const UNFIT_CODES = /^(26000|42P05|08P01|25006)$/;
const UNFIT_WORDS = /^Query read timeout$/;
const NO_CODES = /^$/;

/** A table or column that is not there. */
const OUTDATED_CODES = /^(42P01|42703)$/;

const RETRY_PAUSES_MS = [10, 100, 250];

/**
 * True if an operation failed because the database is unreachable, full or too slow, and not because of its content.
 */
export function isDatabaseUnavailable(thrown: unknown): boolean {
  return (
    isAny(thrown, CODES, WORDS) || isPoolerAway(thrown) || isDatabaseFull(thrown) || poolerSays(thrown, POOLER_SLOW)
  );
}

/** True when no connection was left: of the pool, the pooler or the server. */
export function isDatabaseFull(thrown: unknown): boolean {
  return isAny(thrown, FULL_CODES, FULL_WORDS) || poolerSays(thrown, POOLER_FULL);
}

/** True when a pooler says that it does not reach the server; connections to the pooler stay open meanwhile. */
export function isPoolerAway(thrown: unknown): boolean {
  return poolerSays(thrown, POOLER_AWAY);
}

/**
 * True if the connection broke. Reading again is safe; writing is not, because the statement may have been executed.
 */
export function isConnectionLost(thrown: unknown): boolean {
  return isAny(thrown, LOST_CODES, LOST_WORDS) || isPoolerAway(thrown);
}

/** True if a prepared statement was refused before it ran, so that a repetition is safe. */
export function isStatementRefused(thrown: unknown): boolean {
  return isAny(thrown, REFUSED_CODES);
}

/** True if no answer to a statement came in time; the server may still work on it. */
export function isUnanswered(thrown: unknown): boolean {
  return isAny(thrown, NO_CODES, UNFIT_WORDS);
}

/** True if the connection must not be used for another statement, not even a rollback. */
export function breaksConnection(thrown: unknown): boolean {
  return isAny(thrown, UNFIT_CODES, UNFIT_WORDS);
}

/**
 * Does something again, a few times, when its connection broke, its statement was refused, or it asked a server to
 * write that only reads; only for what may be done twice. A new connection waits for a database that is unreachable,
 * and the pauses are for other connections of the pool that are about to break.
 */
export async function withRetries<T>(attempt: () => Promise<T>): Promise<T> {
  for (const pauseMs of RETRY_PAUSES_MS) {
    try {
      return await attempt();
    } catch (error) {
      if (!isConnectionLost(error) && !isStatementRefused(error) && !isAny(error, READ_ONLY_CODES)) throw error;
    }
    await delay(pauseMs);
  }
  return attempt();
}

/** True if a statement named a missing table or column: the database is not migrated, or only for an older version. */
export function isSchemaOutdated(thrown: unknown): boolean {
  return isAny(thrown, OUTDATED_CODES);
}

/** True if an operation failed because of the configured database, in one of these ways. */
export function isDatabaseUnusable(thrown: unknown): boolean {
  return isDatabaseUnavailable(thrown) || isSchemaOutdated(thrown);
}

function isAny(thrown: unknown, codes: RegExp, words?: RegExp): boolean {
  return causesOf(thrown).some(
    ({ code, message }) => (typeof code === 'string' && codes.test(code)) || words?.test(message) === true,
  );
}

function poolerSays(thrown: unknown, words: RegExp): boolean {
  return causesOf(thrown).some(({ code, message }) => code === POOLER_CODE && words.test(message));
}

/** An error and what led to it, the latest first. */
function causesOf(thrown: unknown): (Error & { code?: unknown })[] {
  return thrown instanceof Error ? [thrown, ...causesOf(thrown.cause)] : [];
}
