/** The used part of the browser's storage. */
export type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'clear'>;

/** Which of the browser's two storages; reading the property itself throws where the browser blocks it. */
type StoreOf = () => Store;

/** The storage of this tab, which ends with it. */
export const tabStore: StoreOf = () => sessionStorage;
/** The storage of this browser, never for prompts or answers. */
export const browserStore: StoreOf = () => localStorage;

/** The text under a name; undefined where there is none, or no storage. */
export function readText(store: StoreOf, name: string): string | undefined {
  try {
    return store().getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** The object under a name; undefined where there is none, or something else. */
export function readObject(store: StoreOf, name: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(readText(store, name) ?? 'null');
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Stores a text, or removes it where it is undefined. A full or blocked storage keeps what it has: the page goes on,
 * and a reload forgets.
 */
export function writeText(store: StoreOf, name: string, text: string | undefined): void {
  try {
    if (text === undefined) store().removeItem(name);
    else store().setItem(name, text);
  } catch {
    // Nothing depends on it.
  }
}

/** Removes everything. */
export function emptyStore(store: StoreOf): void {
  try {
    store().clear();
  } catch {
    // An unavailable storage is empty.
  }
}
