import { Readable } from 'node:stream';
import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { RequiresScope, type AuthenticatedRequest } from '../auth/auth.decorators';
import { ApiError } from '../../common/errors';
import { prefetchFirst } from '../../common/prefetch-first';
import { ApiResponses } from '../../platform/http/api-responses.decorator';
import { prefers } from '../../platform/http/content-negotiation';
import { STREAMED_TYPES } from '../../platform/http/streamed-body';
import { ConcurrencyLimiterService } from '../../platform/rate-limiting/concurrency-limiter.service';
import { isErased } from './experiment.entity';
import type { ExperimentView } from './experiment.types';
import { EXPERIMENT_ID } from './experiments.openapi';
import { ExperimentsService } from './experiments.service';
import { ROWS_CSV_EXAMPLE, rowsAsCsv, rowsAsNdjson } from './rows/rows-export';
import { ExperimentRowListDto, ExperimentRowsQuery } from './rows/rows.dto';
import { ComparisonQuery } from './summary/comparison-query.dto';
import { ExperimentComparisonDto } from './summary/comparison.dto';
import { SummariesService } from './summary/summaries.service';
import { ExperimentSummaryDto } from './summary/summary.dto';

const { csv: CSV, ndjson: NDJSON } = STREAMED_TYPES;

/** Reads the rows of experiments and their summary. */
@ApiTags('experiments')
@Controller('experiments')
export class ExperimentResultsController {
  constructor(
    private readonly experiments: ExperimentsService,
    private readonly summaries: SummariesService,
    private readonly concurrency: ConcurrencyLimiterService,
  ) {}

  @Get(':id/rows')
  @RequiresScope('experiments:read', 'evals:read')
  @ApiOperation({
    operationId: 'experiments_rows',
    summary: 'List or export the rows of an experiment',
    description:
      'In the order of their numbers, with the latest answer of each model over all attempts; rows that were not begun yet are left out. The header `Link: <…>; rel="next"` gives the next page. With `Accept: text/csv` or `application/x-ndjson` the response is a stream of all rows, whatever `limit` and `cursor` are; it counts like a running compare.',
  })
  @ApiParam(EXPERIMENT_ID)
  @ApiResponses(ExperimentRowListDto, {
    description: 'A page of rows, or all as CSV or NDJSON.',
    errors: ['invalid_request', 'insufficient_scope', 'not_found'],
    headers: ['Link', 'Content-Disposition'],
    otherContent: {
      [CSV]: {
        schema: { type: 'string', description: 'RFC 4180 with a header line and a line for each result.' },
        example: ROWS_CSV_EXAMPLE,
      },
      [NDJSON]: {
        schema: { type: 'string', description: 'A row a line, as in `rows`.' },
        example:
          '{"row_no":0,"row_id":"fr","attempt":1,"state":"running","eval_id":null,"input":"France","expected":"Paris","cost_usd":0,"results":[]}\n',
      },
    },
  })
  async listRows(
    @Req() request: AuthenticatedRequest,
    @Param('id') id: string,
    @Query() query: ExperimentRowsQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ExperimentRowListDto | Readable> {
    const isCsv = prefers(request, CSV);
    if (isCsv || prefers(request, NDJSON)) return this.export(request, id, query, { isCsv, reply });
    const page = await this.experiments.rows(request.caller, id, query);
    if (page.next !== undefined)
      reply.header('link', `</api/v1/experiments/${id}/rows?${nextPage(query, page.next)}>; rel="next"`);
    return ExperimentRowListDto.from(page, query);
  }

  private async export(
    { caller }: AuthenticatedRequest,
    id: string,
    { state }: ExperimentRowsQuery,
    { isCsv, reply }: { isCsv: boolean; reply: FastifyReply },
  ): Promise<Readable> {
    const slot = await this.concurrency.acquire(caller.keyId);
    // Also where the caller goes before the stream is read.
    const release = () => void slot[Symbol.asyncDispose]();
    if (reply.raw.closed) release();
    else reply.raw.once('close', release);
    const rows = await prefetchFirst(this.experiments.allRows(caller, id, state));
    reply
      .header('content-disposition', `attachment; filename="${id}.${isCsv ? 'csv' : 'jsonl'}"`)
      .type(`${isCsv ? CSV : NDJSON}; charset=utf-8`);
    return Readable.from(isCsv ? rowsAsCsv(rows) : rowsAsNdjson(rows), { highWaterMark: 1 });
  }

  @Get(':id/summary')
  @RequiresScope('experiments:read')
  @ApiOperation({
    operationId: 'experiments_summary',
    summary: 'Summarize an experiment',
    description:
      'How the models did and which differ, with rows (or their groups) as the unit. Nothing is tested before the experiment has ended: looking often is harmless. A running one is summarized at most once in 5 seconds.',
  })
  @ApiParam(EXPERIMENT_ID)
  @ApiResponses(ExperimentSummaryDto, { errors: ['insufficient_scope', 'not_found', 'conflict', 'overloaded'] })
  async summary(@Req() { caller }: AuthenticatedRequest, @Param('id') id: string): Promise<ExperimentSummaryDto> {
    const view = await this.experiments.get(caller, id);
    if (view.experiment.summary === null) refuseErased(view);
    return this.summaries.summary(caller.userId, view);
  }

  @Get(':id/comparison')
  @RequiresScope('experiments:read')
  @ApiOperation({
    operationId: 'experiments_comparison',
    summary: 'Compare an experiment with an earlier one',
    description:
      'Row by row, for the rows that both have with equal content. `worse` and `better` are significant; `not_worse` excludes a loss above the tolerance; else it cannot be said.',
  })
  @ApiParam(EXPERIMENT_ID)
  @ApiResponses(ExperimentComparisonDto, {
    errors: ['invalid_request', 'insufficient_scope', 'not_found', 'not_comparable', 'conflict', 'overloaded'],
  })
  async comparison(
    @Req() { caller }: AuthenticatedRequest,
    @Param('id') id: string,
    @Query() query: ComparisonQuery,
  ): Promise<ExperimentComparisonDto> {
    // First, because it can throw: a rejection of the other read would have no handler then.
    const beforeId = query.experimentBefore();
    const [after, before] = await Promise.all([
      this.experiments.get(caller, id),
      this.experiments.get(caller, beforeId),
    ]);
    refuseErased(before);
    refuseErased(after);
    return this.summaries.comparison(caller.userId, [before, after], query.toQuestion());
  }
}

/** @throws ApiError conflict */
function refuseErased({ experiment }: ExperimentView): void {
  if (isErased(experiment)) throw new ApiError('conflict', { message: `The experiment ${experiment.id} was erased.` });
}

function nextPage({ limit, state }: ExperimentRowsQuery, cursor: string): string {
  return new URLSearchParams({ limit: String(limit), ...(state !== undefined && { state }), cursor }).toString();
}
