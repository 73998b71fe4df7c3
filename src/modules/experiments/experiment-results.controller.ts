import { Readable } from 'node:stream';
import { Body, Controller, Delete, Get, HttpCode, Param, Put, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Actor } from '../audit/actor';
import { CurrentActor, RequiresScope, type AuthenticatedRequest } from '../auth/auth.decorators';
import { ApiError } from '../../common/errors';
import { prefetchFirst } from '../../common/prefetch-first';
import { ApiBodyExamples } from '../../platform/http/api-body.decorator';
import { ApiResponses } from '../../platform/http/api-responses.decorator';
import { prefers } from '../../platform/http/content-negotiation';
import { STREAMED_TYPES } from '../../platform/http/streamed-body';
import { ConcurrencyLimiterService } from '../../platform/rate-limiting/concurrency-limiter.service';
import { DecisionDto, DecisionRequest } from './decision/decision.dto';
import { DecisionsService } from './decision/decisions.service';
import { isErased } from './experiment.entity';
import type { ExperimentView } from './experiment.types';
import { DECISION_EXAMPLES, EXPERIMENT_ID } from './experiments.openapi';
import { ExperimentsService } from './experiments.service';
import { renderReport, REPORT_EXAMPLE } from './report/render-report';
import { ReportsService } from './report/reports.service';
import { ROWS_CSV_EXAMPLE, rowsAsCsv, rowsAsNdjson } from './rows/rows-export';
import { ExperimentRowListDto, ExperimentRowsQuery } from './rows/rows.dto';
import { ComparisonQuery, ReportQuery, SummaryQuery } from './summary/comparison-query.dto';
import { ExperimentComparisonDto } from './summary/comparison.dto';
import { SummariesService } from './summary/summaries.service';
import { ExperimentSummaryDto } from './summary/summary.dto';

const { csv: CSV, ndjson: NDJSON } = STREAMED_TYPES;
const HTML = 'text/html';

/** Reads what came out of experiments, and keeps what is decided. */
@ApiTags('experiments')
@Controller('experiments')
export class ExperimentResultsController {
  constructor(
    private readonly experiments: ExperimentsService,
    private readonly summaries: SummariesService,
    private readonly reports: ReportsService,
    private readonly decisions: DecisionsService,
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
  @ApiResponses(ExperimentSummaryDto, {
    errors: ['invalid_request', 'insufficient_scope', 'not_found', 'conflict', 'overloaded'],
  })
  async summary(
    @Req() { caller }: AuthenticatedRequest,
    @Param('id') id: string,
    @Query() { tolerance }: SummaryQuery,
  ): Promise<ExperimentSummaryDto> {
    const view = await this.experiments.get(caller, id);
    if (view.experiment.summary === null) refuseErased(view);
    return this.summaries.withRecommendation(caller.userId, view, tolerance);
  }

  @Get(':id/report')
  @RequiresScope('experiments:read', 'evals:read')
  @ApiOperation({
    operationId: 'experiments_report',
    summary: 'Report what an experiment found',
    description:
      'In Markdown, or with `Accept: text/html` as a page with a picture: the decision or the recommendation, the figures, rows in which models differ, what was asked, and what the figures do not show. The same experiment gives the same text.',
  })
  @ApiParam(EXPERIMENT_ID)
  @ApiResponses(undefined, {
    description: 'The report.',
    errors: ['invalid_request', 'insufficient_scope', 'not_found', 'conflict', 'overloaded'],
    otherContent: {
      'text/markdown': { schema: { type: 'string' }, example: REPORT_EXAMPLE },
      [HTML]: { schema: { type: 'string' }, example: '<!doctype html>' },
    },
  })
  async report(
    @Req() request: AuthenticatedRequest,
    @Param('id') id: string,
    @Query() { tolerance, texts, rows }: ReportQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const view = await this.experiments.get(request.caller, id);
    if (view.experiment.summary === null) refuseErased(view);
    const withTexts = texts === 'true' && !isErased(view.experiment);
    const parts = await this.reports.reportOf(view, { tolerance, rowCount: withTexts ? rows : 0 });
    const markdown = renderReport(parts, withTexts);
    const isPage = prefers(request, HTML);
    reply.type(`${isPage ? HTML : 'text/markdown'}; charset=utf-8`);
    if (!isPage) return markdown;
    // Loaded by the first page: most reports are read by programs.
    const { PAGE_POLICY, renderPage } = await import('./report/render-page.js');
    reply.header('content-security-policy', PAGE_POLICY);
    return renderPage(parts, markdown);
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

  @Put(':id/decision')
  @RequiresScope('experiments')
  @ApiOperation({
    operationId: 'experiments_decide',
    summary: 'Keep the decision after an experiment',
    description: 'One for each experiment that has ended; a later decision takes the place of an earlier one.',
  })
  @ApiParam(EXPERIMENT_ID)
  @ApiBodyExamples(DecisionRequest, DECISION_EXAMPLES)
  @ApiResponses(DecisionDto, {
    errors: ['invalid_request', 'invalid_json', 'insufficient_scope', 'not_found', 'conflict'],
  })
  async decide(
    @CurrentActor() actor: Actor,
    @Req() { caller }: AuthenticatedRequest,
    @Param('id') id: string,
    @Body() body: DecisionRequest,
  ): Promise<DecisionDto> {
    return DecisionDto.from(await this.decisions.decide(actor, caller, id, body));
  }

  @Delete(':id/decision')
  @HttpCode(204)
  @RequiresScope('experiments')
  @ApiOperation({ operationId: 'experiments_undecide', summary: 'Take the decision back' })
  @ApiParam(EXPERIMENT_ID)
  @ApiResponses(undefined, { status: 204, errors: ['invalid_json', 'insufficient_scope', 'not_found', 'conflict'] })
  async undecide(
    @CurrentActor() actor: Actor,
    @Req() { caller }: AuthenticatedRequest,
    @Param('id') id: string,
  ): Promise<void> {
    await this.decisions.withdraw(actor, caller, id);
  }
}

/** @throws ApiError conflict */
function refuseErased({ experiment }: ExperimentView): void {
  if (isErased(experiment)) throw new ApiError('conflict', { message: `The experiment ${experiment.id} was erased.` });
}

function nextPage({ limit, state }: ExperimentRowsQuery, cursor: string): string {
  return new URLSearchParams({ limit: String(limit), ...(state !== undefined && { state }), cursor }).toString();
}
