import { Controller, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { RequiresScope, type AuthenticatedRequest } from '../auth/auth.decorators';
import { EvalsService } from '../evals/evals.service';
import { IncludeInEvalQuery } from '../../platform/http/include.dto';
import { RequestValidationPipe } from '../../platform/http/validation/request-validation.pipe';
import { RateLimited } from '../../platform/rate-limiting/rate-limited.decorator';
import { RateLimiterService } from '../../platform/rate-limiting/rate-limiter.service';
import { CompareResponsesService } from './compare-responses.service';
import { CompareRequest } from './compare.dto';
import { ApiRerun } from './compare.openapi';
import { isReconnect } from './reconnect';
import { requestOf } from './rerun-request';
import { refuseChanges, RerunRequest } from './rerun.dto';

/** POST /evals/:id/rerun. */
@ApiTags('evals')
@Controller('evals')
export class RerunController {
  private readonly pipe = new RequestValidationPipe();

  constructor(
    private readonly evals: EvalsService,
    private readonly responses: CompareResponsesService,
    private readonly limiter: RateLimiterService,
  ) {}

  @Post(':id/rerun')
  @HttpCode(200)
  @RateLimited('compare')
  // Its answer holds the stored prompt.
  @RequiresScope('compare', 'evals:read')
  @ApiOperation({
    operationId: 'evals_rerun',
    summary: 'Run an eval again',
    description:
      'Compares all that a stored eval was asked once more, as POST /compare does; it stays unchanged. Only `options.max_cost_usd` can be another. GET /evals/{id}/drift then says what has changed.',
  })
  @ApiParam({ name: 'id', description: 'The `eval_id` returned by POST /compare or GET /evals.' })
  @ApiRerun()
  async rerun(
    @Req() request: AuthenticatedRequest,
    @Param('id') id: string,
    @Query() query: IncludeInEvalQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (isReconnect(request)) return void reply.status(204).send();
    const body = await this.bodyOf(request, id);
    await this.limiter.consumeSamples(body.options?.samples ?? 1, request.caller.keyId, reply);
    reply.header('link', `</api/v1/evals/${id}>; rel="original"`);
    return this.responses.respond(body, { request, reply, include: query.toInclusions() }, id);
  }

  /**
   * The body that repeats the caller's eval, at the price that the request allows. Validated like any request, because
   * limits can be lower by now. @throws ApiError not_found, invalid_request
   */
  private async bodyOf({ caller, body }: AuthenticatedRequest, id: string): Promise<CompareRequest> {
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) refuseChanges(body);
    const { options } = (await this.pipe.transform(body ?? undefined, {
      type: 'body',
      metatype: RerunRequest,
    })) as RerunRequest;
    const request = requestOf(await this.evals.get(caller, id), options?.max_cost_usd);
    return (await this.pipe.transform(request, { type: 'body', metatype: CompareRequest })) as CompareRequest;
  }
}
