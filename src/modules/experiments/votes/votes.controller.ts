import { Body, Controller, Get, HttpCode, Param, Post, Query, Req } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiBodyExamples } from '../../../platform/http/api-body.decorator';
import { ApiResponses } from '../../../platform/http/api-responses.decorator';
import { RequiresScope, type AuthenticatedRequest } from '../../auth/auth.decorators';
import { EXPERIMENT_ID } from '../experiments.openapi';
import { BallotDto, BallotQuery, VoteDto, VoteRequest } from './votes.dto';
import { VotesService } from './votes.service';

const BALLOT = 'mcs_ballot_eyJyIjozfQ.c2lnbmF0dXJl';

/** Shows people what judges judged, without names, and keeps their votes. */
@ApiTags('experiments')
@Controller('experiments')
export class VotesController {
  constructor(private readonly votes: VotesService) {}

  @Get(':id/ballot')
  @RequiresScope('experiments:read', 'evals:read')
  @ApiOperation({
    operationId: 'experiments_ballot',
    summary: 'Get something to vote on',
    description:
      'Of an experiment of judges: a question with one answer or two, without names. The first 100 items are drawn at random, in the same order for everybody; only votes on them correct the rates of judges. Nothing is stored before the vote.',
  })
  @ApiParam(EXPERIMENT_ID)
  @ApiResponses(BallotDto, { errors: ['invalid_request', 'insufficient_scope', 'not_found', 'conflict'] })
  async ballot(
    @Req() { caller }: AuthenticatedRequest,
    @Param('id') id: string,
    @Query() { skip }: BallotQuery,
  ): Promise<BallotDto> {
    return this.votes.ballot(caller, id, keyVoter(caller.keyId), skip);
  }

  @Post(':id/votes')
  @HttpCode(201)
  @RequiresScope('experiments')
  @ApiOperation({
    operationId: 'experiments_vote',
    summary: 'Vote on a ballot',
    description: "A key's last vote on an item counts.",
  })
  @ApiParam(EXPERIMENT_ID)
  @ApiBodyExamples(VoteRequest, [
    ['The first answer is better', { ballot: BALLOT, winner: '1' }],
    ['The answer is good enough', { ballot: BALLOT, winner: 'yes' }],
  ])
  @ApiResponses(VoteDto, {
    status: 201,
    errors: ['invalid_request', 'invalid_json', 'insufficient_scope', 'not_found', 'conflict'],
  })
  async vote(
    @Req() { caller }: AuthenticatedRequest,
    @Param('id') id: string,
    @Body() body: VoteRequest,
  ): Promise<VoteDto> {
    return this.votes.vote(caller, id, keyVoter(caller.keyId), body);
  }
}

function keyVoter(keyId: string): string {
  return `key ${keyId}`;
}
