/** One page of a list. */
export interface Page<T> {
  items: T[];
  /** Where the next page begins; undefined on the last one. */
  next: string | undefined;
}

/**
 * The page of at most `limit` items from what was found, which is one more where there is a next page; that begins
 * after `cursorOf` the last item of this one.
 */
export function paginate<T>(found: readonly T[], limit: number, cursorOf: (last: T) => string): Page<T> {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, next: found.length > limit && last !== undefined ? cursorOf(last) : undefined };
}
