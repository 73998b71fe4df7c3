/** Reads the first item ahead, so that an unreachable database fails the request before the response has started. */
export async function prefetchFirst<T>(items: AsyncGenerator<T>): Promise<AsyncIterable<T>> {
  const first = await items.next();
  return (async function* () {
    if (first.done === true) return;
    yield first.value;
    yield* items;
  })();
}
