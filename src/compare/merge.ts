/** What one of several sources gave: its number and the item. */
export interface Merged<T> {
  source: number;
  item: T;
}

/** Starts all sources at once and yields their items in the order in which they come; each source runs on whether or not the reader keeps up. */
export async function* merge<T>(sources: readonly AsyncIterable<T>[]): AsyncGenerator<Merged<T>> {
  const arrived: Merged<T>[] = [];
  let running = sources.length;
  let failure: { cause: unknown } | undefined;
  let wake = () => {};
  const drain = async (iterable: AsyncIterable<T>, source: number) => {
    try {
      for await (const item of iterable) {
        arrived.push({ source, item });
        wake();
      }
    } catch (cause) {
      failure ??= { cause };
    } finally {
      running -= 1;
      wake();
    }
  };
  sources.forEach((iterable, source) => void drain(iterable, source));
  while (running > 0 || arrived.length > 0) {
    if (arrived.length === 0) await new Promise<void>((resolve) => { wake = resolve; });
    yield* arrived.splice(0);
  }
  if (failure !== undefined) throw failure.cause;
}
