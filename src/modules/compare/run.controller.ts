import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { RequiresScope, type AuthenticatedRequest } from '../auth/auth.decorators';
import { isId } from '../../common/ids';
import { ActiveComparesService } from '../execution/active-compares.service';
import { ApiResponses } from '../../platform/http/api-responses.decorator';
import { prefers } from '../../platform/http/content-negotiation';
import { isUnfinished } from '../runs/job.entity';
import { RunDto } from '../runs/runs.dto';
import { RunsService } from '../runs/runs.service';
import { STREAM_CONTENT } from './compare.openapi';
import { EventStreamsService } from './stream/event-streams.service';

const RETRY_AFTER_SECONDS = 2;

/** Reads one run: its state, or its events while it runs in this process. */
@ApiTags('runs')
@Controller('runs')
export class RunController {
  constructor(
    private readonly runs: RunsService,
    private readonly active: ActiveComparesService,
    private readonly streams: EventStreamsService,
  ) {}

  @Get(':id')
  @RequiresScope('compare')
  @ApiOperation({
    operationId: 'runs_get',
    summary: 'Get one run',
    description:
      'Ask again every few seconds until the status is final; then the eval, if any, is at GET /evals/{eval_id}. With `Accept: text/event-stream` the response is the run from its first event on, as long as it runs in the process that answers; ' +
      'otherwise its state as JSON, with `Retry-After`.',
  })
  @ApiParam({
    name: 'id',
    description:
      'The `run_id` of a compare that was answered 202; for an event stream also the `eval_id` of a compare that is being streamed.',
  })
  @ApiResponses(RunDto, {
    errors: ['invalid_request', 'insufficient_scope', 'not_found'],
    otherContent: STREAM_CONTENT,
  })
  async get(@Req() request: AuthenticatedRequest, @Param('id') id: string, @Res() reply: FastifyReply): Promise<void> {
    const isStream = prefers(request, 'text/event-stream');
    const feed = isStream && isId('eval', id) ? this.active.feeds.find(request.caller, id) : undefined;
    if (feed !== undefined) return this.streams.follow(feed, { request, reply, include: {} });
    const run = await this.runs.get(request.caller, id);
    const own = isStream ? this.active.feeds.find(request.caller, run.evalId) : undefined;
    if (own !== undefined) return this.streams.follow(own, { request, reply, include: {} });
    if (isStream && isUnfinished(run)) reply.header('retry-after', RETRY_AFTER_SECONDS);
    void reply.send(RunDto.from(run));
  }
}
