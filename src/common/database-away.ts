/**
 * SQLSTATE of a database that cannot do its work now: connections (08; but 08P01 says that what we sent was wrong), shut down or starting (57P), out of resources (53), a statement or a wait
 * that took too long (57014, 55P03), a transaction that idled (25P03), a server that is no longer the primary (25006); and Node's words for a socket that leads nowhere.
 */
const CODES = /^(08(?!P01)...|57P0.|53...|57014|55P03|25P03|25006|ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;

/** What pg and its pool say without any code. */
const WORDS = /^(Connection terminated|timeout exceeded when trying to connect$|timeout expired$|Query read timeout$|Client has encountered a connection error|Client was closed)/;

/** Whether something failed because the database is away, full or too slow, and not because of what was asked of it. */
export function isDatabaseAway(thrown: unknown): boolean {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const { code } = error as { code?: unknown };
    if ((typeof code === 'string' && CODES.test(code)) || WORDS.test(error.message)) return true;
  }
  return false;
}
