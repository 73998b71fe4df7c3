import { Body, Controller, Get, Headers, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { RequiresScope, type AuthenticatedRequest } from '../auth/auth.decorators';
import { refuseMalformedKey } from '../compare/compare.dto';
import { ApiBodyExamples } from '../../platform/http/api-body.decorator';
import { ApiResponses } from '../../platform/http/api-responses.decorator';
import { ConcurrencyLimiterService } from '../../platform/rate-limiting/concurrency-limiter.service';
import { RateLimited } from '../../platform/rate-limiting/rate-limited.decorator';
import { ChangeExperimentService } from './change-experiment.service';
import { EstimateExperimentService } from './estimate-experiment.service';
import { ExperimentDto, ExperimentEstimateDto, ExperimentListDto } from './experiment.dto';
import { CreateExperimentRequest, EstimateExperimentRequest, ExperimentListQuery } from './experiments.dto';
import { ESTIMATE_EXPERIMENT_EXAMPLES, EXPERIMENT_EXAMPLES } from './experiments.openapi';
import { JudgeCommandService } from './judge/judge-command.service';
import { ExperimentsService } from './experiments.service';

/** Starts, estimates and lists experiments. */
@ApiTags('experiments')
@Controller('experiments')
export class ExperimentsController {
  constructor(
    private readonly experiments: ExperimentsService,
    private readonly changes: ChangeExperimentService,
    private readonly estimates: EstimateExperimentService,
    private readonly judges: JudgeCommandService,
    private readonly concurrency: ConcurrencyLimiterService,
  ) {}

  @Post()
  @HttpCode(202)
  @RateLimited('estimate')
  @RequiresScope('experiments')
  @ApiOperation({
    summary: 'Start an experiment',
    description:
      'Runs one prompt for the rows of a data set on several models, or lets models judge the answers of another experiment. Every row becomes an eval, which is charged as a compare is, never free. `max_cost_usd` is a hard cap. Ask GET /experiments/{id} for the progress.',
  })
  @ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description: 'The same key and body give the same experiment for 24 hours.',
  })
  @ApiBodyExamples(CreateExperimentRequest, EXPERIMENT_EXAMPLES)
  @ApiResponses(ExperimentDto, {
    status: 202,
    errors: [
      'invalid_request',
      'invalid_json',
      'unknown_model',
      'judge_not_neutral',
      'payment_required',
      'model_not_allowed',
      'insufficient_scope',
      'not_found',
      'conflict',
      'idempotency_key_reused',
      'overloaded',
    ],
    headers: ['Location', 'Idempotency-Replayed'],
  })
  async create(
    @Req() { caller }: AuthenticatedRequest,
    @Headers('idempotency-key') key: string | undefined,
    @Body() body: CreateExperimentRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ExperimentDto> {
    refuseMalformedKey(key);
    const { id, isReplay } = await this.changes.start(caller, await this.judges.commandOf(caller, body), key);
    if (isReplay) reply.header('idempotency-replayed', 'true');
    reply.header('location', `/api/v1/experiments/${id}`);
    return ExperimentDto.from(await this.experiments.get(caller, id));
  }

  @Post('estimate')
  @HttpCode(200)
  @RateLimited('estimate')
  @RequiresScope('experiments')
  @ApiOperation({
    operationId: 'experiments_estimate',
    summary: 'Estimate the cost of an experiment',
    description: 'The body of POST /experiments; `max_cost_usd` may be left out. Calls no vendor, charges nothing.',
  })
  @ApiBodyExamples(EstimateExperimentRequest, ESTIMATE_EXPERIMENT_EXAMPLES)
  @ApiResponses(ExperimentEstimateDto, {
    errors: [
      'invalid_request',
      'invalid_json',
      'unknown_model',
      'judge_not_neutral',
      'model_not_allowed',
      'insufficient_scope',
      'not_found',
      'conflict',
      'overloaded',
    ],
  })
  async estimate(
    @Req() { caller }: AuthenticatedRequest,
    @Body() body: EstimateExperimentRequest,
  ): Promise<ExperimentEstimateDto> {
    await using _slot = await this.concurrency.acquire(caller.keyId, 'estimates');
    return this.estimates.estimate(caller, await this.judges.commandOf(caller, body));
  }

  @Get()
  @RequiresScope('experiments:read')
  @ApiOperation({
    summary: 'List experiments',
    description: 'Newest first. The header `Link: <…>; rel="next"` gives the next page.',
  })
  @ApiResponses(ExperimentListDto, { errors: ['invalid_request', 'insufficient_scope'], headers: ['Link'] })
  async list(
    @Req() { caller }: AuthenticatedRequest,
    @Query() query: ExperimentListQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ExperimentListDto> {
    const page = await this.experiments.list(caller, query.limit, query.cursor);
    if (page.next !== undefined)
      reply.header('link', `</api/v1/experiments?limit=${query.limit}&cursor=${page.next}>; rel="next"`);
    return ExperimentListDto.from(page, query);
  }
}
