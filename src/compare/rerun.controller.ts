import { Controller, HttpCode, Param, Post, Query, Req, Res, UseInterceptors } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { RequiresScope, type AuthenticatedRequest } from '../auth/auth.decorators';
import { ApiError } from '../common/errors';
import { IncludeInEvalQuery } from '../http/include.dto';
import { RateLimited } from '../rate-limiting/rate-limited.decorator';
import { RateLimiterService } from '../rate-limiting/rate-limiter.service';
import { CompareResponsesService } from './compare-responses.service';
import { ApiRerun } from './compare.openapi';
import { ReconnectInterceptor } from './reconnect.interceptor';
import { RerunService } from './rerun.service';

const MAX_NAME_CHARACTERS = 100;

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
  @RequiresScope('compare')
  @ApiOperation({
    operationId: 'evals_rerun',
    summary: 'Run an eval again',
    description: 'Compares the prompt, input, models, options, samples and checks of a stored eval once more, as POST /compare does; the stored eval stays as it is. Takes no body, because nothing of it can be changed. GET /evals/{id}/drift then says what has changed.',
  })
  @ApiParam({ name: 'id', description: 'The `eval_id` returned by POST /compare or GET /evals.' })
  @ApiRerun()
  async rerun(@Req() request: AuthenticatedRequest, @Param('id') id: string, @Query() query: IncludeInEvalQuery, @Res() reply: FastifyReply): Promise<void> {
    refuseChanges(request.body);
    const body = await this.reruns.request(request.caller, id);
    await this.limiter.consumeSamples(body.options?.samples ?? 1, request.caller.keyId, reply);
    reply.header('link', `</api/v1/evals/${id}>; rel="original"`);
    return this.responses.respond(body, { request, reply, include: query.toInclusions() }, id);
  }
}

/** Whoever sends another prompt or other models would be charged for what they did not ask for. */
function refuseChanges(body: unknown): void {
  if (body === undefined || body === null) return;
  if (typeof body !== 'object' || Array.isArray(body)) throw new ApiError('invalid_request', { message: 'The body must be absent or an empty JSON object.' });
  const [member] = Object.keys(body);
  if (member === undefined) return;
  const name = member.slice(0, MAX_NAME_CHARACTERS);
  throw new ApiError('invalid_request', { message: `${name} must not be given: an eval is run again as it was; POST /api/v1/compare takes changes.`, param: name });
}
