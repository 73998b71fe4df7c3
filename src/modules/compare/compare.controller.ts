import { Controller, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { RequiresScope, type AuthenticatedRequest } from '../auth/auth.decorators';
import { IncludeInEvalQuery } from '../../platform/http/include.dto';
import { RequestValidationPipe } from '../../platform/http/validation/request-validation.pipe';
import { RateLimited } from '../../platform/rate-limiting/rate-limited.decorator';
import { CompareResponsesService } from './compare-responses.service';
import { CompareRequest } from './compare.dto';
import { ApiCompare } from './compare.openapi';
import { isReconnect } from './reconnect';
import { compareWeight } from './sample-limits';

/** POST /compare (JSON, server-sent events, or a run in the background). */
@ApiTags('compare')
@Controller('compare')
export class CompareController {
  private readonly pipe = new RequestValidationPipe();

  constructor(private readonly responses: CompareResponsesService) {}

  @Post()
  @HttpCode(200)
  @RateLimited('compare', compareWeight)
  @RequiresScope('compare')
  @ApiOperation({
    summary: 'Compare models on one prompt',
    description:
      'Sends the prompt to all listed models concurrently and stores the comparison. Models fail individually: a failed one has an `error`, the others are unaffected. With `Accept: text/event-stream` the response is the run as it happens ("Watch it" above); with `Prefer: respond-async` it is 202 and a run in the background.',
  })
  @ApiCompare()
  async run(
    @Req() request: AuthenticatedRequest,
    @Query() query: IncludeInEvalQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    // Before the body is looked at: a client that reconnects gets no error, either.
    if (isReconnect(request)) return void reply.status(204).send();
    const body = (await this.pipe.transform(request.body, {
      type: 'body',
      metatype: CompareRequest,
    })) as CompareRequest;
    return this.responses.respond(body, { request, reply, include: query.toInclusions() });
  }
}
