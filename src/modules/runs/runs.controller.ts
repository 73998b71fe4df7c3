import { Controller, Delete, Get, HttpCode, Param, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { RequiresScope, type AuthenticatedRequest } from '../auth/auth.decorators';
import { ApiResponses } from '../../platform/http/api-responses.decorator';
import { RunListDto, RunsQuery } from './runs.dto';
import { RunsService } from './runs.service';

const RUN_ID = { name: 'id', description: 'The `run_id` of a compare that was answered 202.' };

@ApiTags('runs')
@Controller('runs')
export class RunsController {
  constructor(private readonly runs: RunsService) {}

  @Get()
  @RequiresScope('compare')
  @ApiOperation({
    summary: 'List runs',
    description:
      'Newest first; for a key without `evals:read`, only the runs it made. Runs are kept for 30 days. The header `Link: <…>; rel="next"` gives the next page.',
  })
  @ApiResponses(RunListDto, { errors: ['invalid_request', 'insufficient_scope'], headers: ['Link'] })
  async list(
    @Req() { caller }: AuthenticatedRequest,
    @Query() { limit, cursor }: RunsQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RunListDto> {
    const page = await this.runs.list(caller, limit, cursor);
    if (page.next !== undefined) reply.header('link', `</api/v1/runs?limit=${limit}&cursor=${page.next}>; rel="next"`);
    return RunListDto.from(page, limit);
  }

  @Delete(':id')
  @HttpCode(204)
  @RequiresScope('compare')
  @ApiOperation({
    summary: 'Cancel a queued run',
    description: 'It never runs and is not charged. A run that has begun cannot be stopped: models have been called.',
  })
  @ApiParam(RUN_ID)
  @ApiResponses(undefined, { status: 204, errors: ['invalid_json', 'insufficient_scope', 'not_found', 'conflict'] })
  async cancel(@Req() { caller }: AuthenticatedRequest, @Param('id') id: string): Promise<void> {
    await this.runs.cancel(caller, id);
  }
}
