import type { MoneyFormat } from './amounts';
import { Pages } from './pages';
import type { CallOptions, Transport } from './transport';
import type {
  Ballot,
  BallotQuery,
  NewShare,
  Share,
  SharePage,
  ShareQuery,
  ShareRequest,
  Shared,
  SharedVoteRequest,
  Vote,
} from './types';

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
    return this.transport.json({ ...options, path: pathOf(token) });
  }

  /** The next thing to vote on under that name, after `skip` others. Needs no key. @throws InvalidRequestError not_found */
  ballot(token: string, voter: string, { skip, ...options }: CallOptions & BallotQuery = {}): Promise<Ballot> {
    return this.transport.json({ ...options, path: `${pathOf(token)}/ballot`, query: { voter, skip } });
  }

  /** Votes on a ballot of a link. Needs no key. @throws InvalidRequestError */
  vote(token: string, body: SharedVoteRequest, options?: CallOptions): Promise<Vote> {
    return this.transport.json({ ...options, method: 'POST', path: `${pathOf(token)}/votes`, body });
  }
}

function pathOf(token: string): string {
  return `/api/v1/shared/${encodeURIComponent(token)}`;
}
