import { Body, Controller, HttpCode, Post, Query, Req, Res, UseInterceptors } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { RequiresScope, type AuthenticatedRequest } from '../auth/auth.decorators';
import { EvalStatisticsService } from '../evals/eval-statistics.service';
import { prefers } from '../http/content-negotiation';
import { IncludeInEvalQuery } from '../http/include.dto';
import { withLongSilence } from '../http/long-silence';
import { ConcurrencyLimiterService } from '../rate-limiting/concurrency-limiter.service';
import { RateLimited } from '../rate-limiting/rate-limited.decorator';
import { CompareRequest } from './compare.dto';
import { ApiCompare } from './compare.openapi';
import { CompareService } from './compare.service';
import type { OnRunEvent } from './compare.types';
import { PromptLogService } from './prompt-log.service';
import { ReconnectInterceptor } from './reconnect.interceptor';
import { compareWeight } from './sample-limits';
import { EventStreamsService } from './stream/event-streams.service';

/** POST /compare (JSON or server-sent events). */
@ApiTags('compare')
@Controller('compare')
export class CompareController {
  constructor(
    private readonly compare: CompareService,
    private readonly concurrency: ConcurrencyLimiterService,
    private readonly promptLog: PromptLogService,
    private readonly streams: EventStreamsService,
    private readonly evals: EvalStatisticsService,
  ) {}

  @Post()
  @HttpCode(200)
  @RateLimited('compare', compareWeight)
  @UseInterceptors(ReconnectInterceptor)
  @RequiresScope('compare')
  @ApiOperation({
    summary: 'Compare models on one prompt',
    description: 'Sends the prompt to all listed models concurrently and stores the comparison. Models fail individually: a failed one has an `error`, the others are unaffected. With `Accept: text/event-stream` the response is the run as it happens ("Watch it" above).',
  })
  @ApiCompare()
  async run(
    @Req() request: AuthenticatedRequest,
    @Body() body: CompareRequest,
    @Query() query: IncludeInEvalQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const command = body.toCommand(joinHeader(request.headers['idempotency-key']));
    const start = (onEvent?: OnRunEvent) => this.concurrency.run(request.caller.keyId, async () => {
      const outcome = await this.compare.run(request.caller, command, onEvent);
      this.promptLog.log(outcome, request);
      return outcome;
    });
    const include = query.toInclusions();
    if (prefers(request, 'text/event-stream')) return this.streams.run(start, { request, reply, include });
    const { stored, isReplay } = await withLongSilence(request, command.samples, start);
    if (isReplay) reply.header('idempotency-replayed', 'true');
    reply.header('location', `/api/v1/evals/${stored.record.id}`);
    void reply.send(await this.evals.present(stored, include));
  }
}

function joinHeader(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(',') : header;
}
