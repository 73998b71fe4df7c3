import type { Call, Transport } from './transport';

/** One page and the cursor of the next. */
interface FetchedPage<Page> {
  page: Page;
  nextQuery: Record<string, string> | undefined;
}

/** A list that is fetched page by page, while it is read: `for await` gives its elements, `pages()` its pages. */
export class Pages<Page, Item> implements AsyncIterable<Item> {
  constructor(
    private readonly transport: Transport,
    private readonly call: Call,
    /** The member of a page that holds its elements. */
    private readonly member: keyof Page,
  ) {}

  /** Every element of every page. @throws CompareError */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* page[this.member] as Iterable<Item>;
  }

  /** The pages as the service answers them. @throws CompareError */
  async *pages(): AsyncGenerator<Page, void, undefined> {
    let query = this.call.query;
    while (query !== undefined) {
      const { page, nextQuery }: FetchedPage<Page> = await this.fetch(query);
      yield page;
      query = nextQuery;
    }
  }

  /**
   * The first page alone, and the list that begins after it: undefined after the last page. Asking again is safe.
   * @throws CompareError
   */
  async open(): Promise<{ page: Page; next: Pages<Page, Item> | undefined }> {
    const { page, nextQuery } = await this.fetch(this.call.query ?? {});
    return {
      page,
      next:
        nextQuery === undefined
          ? undefined
          : new Pages(this.transport, { ...this.call, query: nextQuery }, this.member),
    };
  }

  /**
   * The element after which the list begins, which a search may have looked at without finding it; undefined for the
   * whole list.
   */
  get cursor(): string | undefined {
    const { cursor } = (this.call.query as { cursor?: string } | undefined) ?? {};
    return cursor;
  }

  private fetch(query: object): Promise<FetchedPage<Page>> {
    return this.transport.send({ ...this.call, query }, async (response) => ({
      page: await this.transport.readJson<Page>(response),
      nextQuery: queryOfNextPage(response.headers.get('link')),
    }));
  }
}

/** The query of `<…>; rel="next"`. Only the query counts, so that no header can send the key to another address. */
export function queryOfNextPage(link: string | null): Record<string, string> | undefined {
  const target = /<([^>]*)>\s*;[^,]*\brel="?next\b/.exec(link ?? '')?.[1];
  if (target === undefined) return undefined;
  const start = target.indexOf('?');
  return Object.fromEntries(new URLSearchParams(start < 0 ? '' : target.slice(start)));
}
