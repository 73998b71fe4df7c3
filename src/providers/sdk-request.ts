/** Where a request goes and with which headers; what it asks is apart. */
export interface RequestHead {
  origin: string;
  /** With its query. */
  path: string;
  headers: Readonly<Record<string, string>>;
}

/** What of an SDK's client is needed: it builds requests, and nothing else. */
interface SdkClient {
  buildRequest(options: { method: 'post'; path: string; body: object; headers?: Record<string, string | null> }): Promise<{ req: { headers: Headers }; url: string }>;
}

/**
 * The heads of requests as a vendor's SDK builds them. They do not depend on what is asked, so each kind is built once: the SDK takes several times as long
 * for it as JSON takes for the body.
 */
export class SdkRequests {
  private readonly heads = new Map<string, RequestHead>();

  constructor(
    private readonly client: SdkClient,
    private readonly path: string,
  ) {}

  /** The head of every request with these headers beside the SDK's own; null takes one of those out. @throws what the SDK throws */
  async head(headers: Record<string, string | null> = {}): Promise<RequestHead> {
    const kind = JSON.stringify(headers);
    const known = this.heads.get(kind);
    if (known !== undefined) return known;
    // With a body, because its type is told in a header.
    const { req, url } = await this.client.buildRequest({ method: 'post', path: this.path, body: {}, headers });
    const { origin, pathname, search } = new URL(url);
    const head = { origin, path: pathname + search, headers: Object.fromEntries(req.headers) };
    this.heads.set(kind, head);
    return head;
  }
}
