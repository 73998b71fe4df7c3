import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Actor } from '../audit/actor';
import { CurrentActor, RequiresScope, type AuthenticatedRequest } from '../auth/auth.decorators';
import { Clock } from '../../common/clock';
import { ApiBodyExamples, type BodyExamples } from '../../platform/http/api-body.decorator';
import { ApiResponses } from '../../platform/http/api-responses.decorator';
import { CreateShareRequest, IssuedShareDto, ShareListDto, ShareListQuery } from './shares.dto';
import { SharesService } from './shares.service';

const subject = 'eval_01k9z3t5v7x9b1d3f5h7k9m1n3';

/** The first example is rejected, so that an eval is not shared by accident. */
const EXAMPLES: BodyExamples = [
  ['Template; put in the id of your eval', { subject }],
  ['For a week, without prompt and costs', { subject, expires_in_days: 7, redact: ['prompt', 'costs'] }],
  ['An experiment, without its texts', { subject: 'exp_01k9z3t5v7x9b1d3f5h7k9m1n3' }],
  [
    'Blind: without the names of the models, and without costs, which give them away',
    { subject, redact: ['models', 'costs'] },
  ],
];

@ApiTags('shares')
@Controller('shares')
export class SharesController {
  constructor(
    private readonly shares: SharesService,
    private readonly clock: Clock,
  ) {}

  @Post()
  // Otherwise a key that may not read evals could read them through a link.
  @RequiresScope('shares', 'evals:read')
  @ApiOperation({
    summary: 'Share an eval or an experiment by a link',
    description:
      'Whoever has the link sees the eval, with its checks, statistics and agreement, until the link ends, is revoked, or the eval is erased; of an experiment, its figures, recommendation and decision, with `texts` also what they rest on. An experiment requires the scope `experiments:read` too. Only this response contains the token.',
  })
  @ApiBodyExamples(CreateShareRequest, EXAMPLES)
  @ApiResponses(IssuedShareDto, {
    status: 201,
    errors: ['invalid_request', 'invalid_json', 'insufficient_scope', 'not_found', 'conflict'],
  })
  async create(
    @CurrentActor() actor: Actor,
    @Req() { caller }: AuthenticatedRequest,
    @Body() body: CreateShareRequest,
  ): Promise<IssuedShareDto> {
    return IssuedShareDto.issued(await this.shares.create(actor, caller, body.toCommand()), this.clock.now());
  }

  @Get()
  @RequiresScope('shares')
  @ApiOperation({
    summary: 'List share links',
    description: 'Newest first. The header `Link: <…>; rel="next"` gives the next page.',
  })
  @ApiResponses(ShareListDto, { errors: ['invalid_request', 'insufficient_scope'], headers: ['Link'] })
  async list(
    @Req() { caller }: AuthenticatedRequest,
    @Query() query: ShareListQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ShareListDto> {
    const page = await this.shares.list(caller, query.limit, { after: query.cursor, subject: query.subject });
    if (page.next !== undefined) reply.header('link', `</api/v1/shares?${query.nextPage(page.next)}>; rel="next"`);
    return ShareListDto.from(page, query, this.clock.now());
  }

  @Delete(':id')
  @RequiresScope('shares')
  @HttpCode(204)
  @ApiOperation({
    summary: 'Revoke a share link',
    description: 'The link ends at once. Revoking it again changes nothing.',
  })
  @ApiParam({ name: 'id', description: 'The `share_id` returned by POST /shares or GET /shares.' })
  @ApiResponses(undefined, { status: 204, errors: ['invalid_json', 'insufficient_scope', 'not_found'] })
  async revoke(
    @CurrentActor() actor: Actor,
    @Req() { caller }: AuthenticatedRequest,
    @Param('id') id: string,
  ): Promise<void> {
    await this.shares.revoke(actor, caller, id);
  }
}
