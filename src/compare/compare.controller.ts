import { Body, Controller, HttpCode, Post, Query, Req, Res, UseInterceptors } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { RequiresScope, type AuthenticatedRequest } from '../auth/auth.decorators';
import { IncludeInEvalQuery } from '../http/include.dto';
import { RateLimited } from '../rate-limiting/rate-limited.decorator';
import { CompareResponsesService } from './compare-responses.service';
import { CompareRequest } from './compare.dto';
import { ApiCompare } from './compare.openapi';
import { ReconnectInterceptor } from './reconnect.interceptor';
import { compareWeight } from './sample-limits';

/** POST /compare (JSON, server-sent events, or a run in the background). */
@ApiTags('compare')
@Controller('compare')
export class CompareController {
  constructor(private readonly responses: CompareResponsesService) {}

  @Post()
  @HttpCode(200)
  @RateLimited('compare', compareWeight)
  @UseInterceptors(new ReconnectInterceptor())
  @RequiresScope('compare')
  @ApiOperation({
    summary: 'Compare models on one prompt',
    description: 'Sends the prompt to all listed models concurrently and stores the comparison. Models fail individually: a failed one has an `error`, the others are unaffected. With `Accept: text/event-stream` the response is the run as it happens ("Watch it" above); with `Prefer: respond-async` it is 202 and a run in the background.',
  })
  @ApiCompare()
  async run(
    @Req() request: AuthenticatedRequest,
    @Body() body: CompareRequest,
    @Query() query: IncludeInEvalQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.responses.respond(body, { request, reply, include: query.toInclusions() });
  }
}
