/**
 * Parts of SQL for rows that one process at a time works on. A claim holds a row until an instant of the database's
 * clock, which all processes share; a living holder renews
 * its lease, a stopping holder releases it, and the lease of a dead holder expires. Arguments are SQL themselves: names
 * of columns, and parameters such as `$1`.
 */

/** A table of rows under leases. */
interface LeasedTable {
  table: string;
  /** Its primary key. */
  key: string;
  /**
   * Until when a row is held, or from when on it waits to be claimed; null when there is nothing more to do with it.
   */
  lease: string;
}

/** The instant after a number of seconds. */
export function inSeconds(seconds: string): string {
  return `clock_timestamp() + make_interval(secs => ${seconds})`;
}

/** True if no process holds the row. */
export function isFree({ lease }: Pick<LeasedTable, 'lease'>): string {
  return `${lease} <= clock_timestamp()`;
}

/**
 * The keys of free rows, locked for a claim in the same statement. Skips rows that another process claims. `among`
 * further narrows them.
 */
export function freeRows(
  leased: LeasedTable,
  { limit, among = 'true', order = leased.lease }: { limit: string; among?: string; order?: string },
): string {
  const { table, key } = leased;
  // Asked again of the newest version of a row when it is locked, so that one which was claimed in the meantime is left
  // out.
  return `select ${key} from ${table} where ${isFree(leased)} and ${among} order by ${order} limit ${limit}::integer for update skip locked`;
}

/**
 * True if a row is still held by the claim with that key and count: every claim increments the column `fence`, so that
 * the holder of a lost lease changes nothing.
 */
export function isHeldBy(row: { key: string; fence: string }, claim: { key: string; fence: string }): string {
  return `${row.key} = ${claim.key} and ${row.fence} = ${claim.fence}`;
}
