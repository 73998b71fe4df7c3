import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { BallotDto, SharedVoteRequest, VoteDto } from '../experiments/votes/votes.dto';
import { VotesService } from '../experiments/votes/votes.service';
import { linkShowsNothing } from './shared-evals.service';
import { SharesService } from './shares.service';

/** Ballots and votes of people with a link. */
@Injectable()
export class SharedVotesService {
  constructor(
    private readonly shares: SharesService,
    private readonly votes: VotesService,
  ) {}

  /** @throws ApiError not_found for a link that shows nothing or takes no votes, conflict */
  async ballot(token: string, name: string, skip?: number): Promise<BallotDto> {
    return this.votes.ballot(...(await this.open(token, name)), skip);
  }

  /** @throws ApiError not_found, conflict, invalid_request */
  async vote(token: string, vote: SharedVoteRequest): Promise<VoteDto> {
    return this.votes.vote(...(await this.open(token, vote.voter)), vote);
  }

  /** The owner and the experiment of a link, and the voter as a hash, so that no name is stored. */
  private async open(token: string, name: string): Promise<[{ userId: string }, string, string]> {
    const share = await this.shares.view(token, 0);
    if (share?.votes !== true || share.experimentId === null) throw linkShowsNothing();
    const hash = createHash('sha256').update(`${share.id} ${name.normalize().trim().toLowerCase()}`);
    return [share, share.experimentId, `link ${hash.digest('hex').slice(0, 16)}`];
  }
}
