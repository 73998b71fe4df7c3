import type { MoneyFormat } from './amounts';
import { Pages } from './pages';
import type { CallOptions, Transport } from './transport';
import type { NewShare, Share, SharePage, ShareQuery, ShareRequest, Shared } from './types';

/** Links that show an eval or an experiment without a key. */
export class Shares<Format extends MoneyFormat> {
  constructor(private readonly transport: Transport) {}

  /** Makes a link; only this answer contains it. */
  create(body: ShareRequest, options?: CallOptions): Promise<NewShare> {
    return this.transport.json({ ...options, method: 'POST', path: '/api/v1/shares', body });
  }

  /** The links there are, newest first, without their addresses. */
  list(query: ShareQuery = {}, options?: CallOptions): Pages<SharePage, Share> {
    return new Pages(this.transport, { ...options, path: '/api/v1/shares', query }, 'shares');
  }

  /** Ends a link at once. @throws InvalidRequestError not_found */
  revoke(shareId: string, options?: CallOptions): Promise<void> {
    return this.transport.json({ ...options, method: 'DELETE', path: `/api/v1/shares/${encodeURIComponent(shareId)}` });
  }

  /** Returns the content of a link, by the token at its end. Needs no key. @throws InvalidRequestError not_found */
  open(token: string, options?: CallOptions): Promise<Shared<Format>> {
    return this.transport.json({ ...options, path: `/api/v1/shared/${encodeURIComponent(token)}` });
  }
}
