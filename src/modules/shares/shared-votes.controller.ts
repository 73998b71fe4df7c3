import { Body, Controller, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../auth/auth.decorators';
import { BallotDto, SharedVoteRequest, VoteDto } from '../experiments/votes/votes.dto';
import { ApiBodyExamples } from '../../platform/http/api-body.decorator';
import { ApiResponses } from '../../platform/http/api-responses.decorator';
import { RateLimiterService } from '../../platform/rate-limiting/rate-limiter.service';
import { SharedVotesService } from './shared-votes.service';
import { SHARED_HEADERS, SHARE_TOKEN, SharedBallotQuery } from './shares.dto';

const BALLOT = 'mcs_ballot_eyJyIjozfQ.c2lnbmF0dXJl';

/** Lets people without a key vote through a link. */
@ApiTags('shares')
@Controller('shared')
export class SharedVotesController {
  constructor(
    private readonly votes: SharedVotesService,
    private readonly limiter: RateLimiterService,
  ) {}

  @Get(':token/ballot')
  @Public()
  @ApiOperation({
    operationId: 'shares_ballot',
    summary: 'Get something to vote on through a link',
    description: 'Takes no key. As GET /experiments/{id}/ballot, for a link that was made with `votes`.',
  })
  @ApiParam(SHARE_TOKEN)
  @ApiResponses(BallotDto, { errors: ['invalid_request', 'not_found', 'conflict'], isPublic: true })
  async ballot(
    @Req() { ip }: FastifyRequest,
    @Param('token') token: string,
    @Query() { voter, skip }: SharedBallotQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<BallotDto> {
    reply.headers(SHARED_HEADERS);
    await this.limiter.consumeSharedView(ip, reply);
    return this.votes.ballot(token, voter, skip);
  }

  @Post(':token/votes')
  @HttpCode(201)
  @Public()
  @ApiOperation({
    operationId: 'shares_vote',
    summary: 'Vote on a ballot through a link',
    description: 'Takes no key. The last vote under a name on an item counts.',
  })
  @ApiParam(SHARE_TOKEN)
  @ApiBodyExamples(SharedVoteRequest, [
    ['The second answer is better', { ballot: BALLOT, winner: '2', voter: 'Ada' }],
    ['No answer is good', { ballot: BALLOT, winner: 'none', voter: 'Ada' }],
  ])
  @ApiResponses(VoteDto, {
    status: 201,
    errors: ['invalid_request', 'invalid_json', 'not_found', 'conflict'],
    isPublic: true,
  })
  async vote(
    @Req() { ip }: FastifyRequest,
    @Param('token') token: string,
    @Body() body: SharedVoteRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<VoteDto> {
    reply.headers(SHARED_HEADERS);
    await this.limiter.consumeSharedView(ip, reply);
    return this.votes.vote(token, body);
  }
}
