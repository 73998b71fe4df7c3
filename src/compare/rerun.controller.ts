import { Controller, HttpCode, Param, Post, Query, Req, Res, UseInterceptors } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { RequiresScope, type AuthenticatedRequest } from '../auth/auth.decorators';
import { IncludeInEvalQuery } from '../http/include.dto';
import { RateLimited } from '../rate-limiting/rate-limited.decorator';
import { RateLimiterService } from '../rate-limiting/rate-limiter.service';
import { CompareResponsesService } from './compare-responses.service';
import { ApiRerun } from './compare.openapi';
import { ReconnectInterceptor } from './reconnect.interceptor';
import { RerunService } from './rerun.service';

/** POST /evals/:id/rerun. */
@ApiTags('evals')
@Controller('evals')
export class RerunController {
  constructor(
    private readonly reruns: RerunService,
    private readonly responses: CompareResponsesService,
    private readonly limiter: RateLimiterService,
  ) {}

  @Post(':id/rerun')
  @HttpCode(200)
  @RateLimited('compare')
  @UseInterceptors(ReconnectInterceptor)
  // Its answer holds the stored prompt.
  @RequiresScope('compare', 'evals:read')
  @ApiOperation({
    operationId: 'evals_rerun',
    summary: 'Run an eval again',
    description: 'Compares the prompt, input, models, options, samples and checks of a stored eval once more, as POST /compare does; the stored eval stays as it is. Nothing of it can be changed but `options.max_cost_usd`, which is otherwise that of the eval. GET /evals/{id}/drift then says what has changed.',
  })
  @ApiParam({ name: 'id', description: 'The `eval_id` returned by POST /compare or GET /evals.' })
  @ApiRerun()
  async rerun(@Req() request: AuthenticatedRequest, @Param('id') id: string, @Query() query: IncludeInEvalQuery, @Res() reply: FastifyReply): Promise<void> {
    const body = await this.reruns.request(request.caller, id, request.body);
    await this.limiter.consumeSamples(body.options?.samples ?? 1, request.caller.keyId, reply);
    reply.header('link', `</api/v1/evals/${id}>; rel="original"`);
    return this.responses.respond(body, { request, reply, include: query.toInclusions() }, id);
  }
}
