import { Body, Controller, Delete, Get, Headers, HttpCode, Param, Patch, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Actor } from '../audit/actor';
import { CurrentActor, RequiresScope, type AuthenticatedRequest } from '../auth/auth.decorators';
import type { Caller } from '../auth/caller';
import { Drain } from '../../platform/background/drain';
import { lookUntil } from '../../platform/background/look-until';
import { ApiBodyExamples } from '../../platform/http/api-body.decorator';
import { ApiResponses } from '../../platform/http/api-responses.decorator';
import { etagOf, matchesEtag } from '../../platform/http/etag';
import { headersOf } from '../../platform/http/openapi/response-headers';
import { waitOf } from '../../platform/http/prefer';
import { ConcurrencyLimiterService } from '../../platform/rate-limiting/concurrency-limiter.service';
import { ChangeExperimentService } from './change-experiment.service';
import { ExperimentErasureService } from './erasure/experiment-erasure.service';
import { ErasedExperimentDto, ExperimentDto } from './experiment.dto';
import { ChangeExperimentRequest } from './experiments.dto';
import { CHANGE_EXPERIMENT_EXAMPLES, EXPERIMENT_ID } from './experiments.openapi';
import { ExperimentsService } from './experiments.service';

/** Reads, changes and erases one experiment. */
@ApiTags('experiments')
@Controller('experiments')
export class ExperimentController {
  constructor(
    private readonly experiments: ExperimentsService,
    private readonly changes: ChangeExperimentService,
    private readonly erasure: ExperimentErasureService,
    private readonly concurrency: ConcurrencyLimiterService,
    private readonly drain: Drain,
  ) {}

  @Get(':id')
  @RequiresScope('experiments:read')
  @ApiOperation({
    operationId: 'experiments_get',
    summary: 'Get an experiment and its progress',
    description:
      'With `Prefer: wait=20` it answers when the experiment no longer runs, at the latest after that many seconds (up to 30); with `If-None-Match` also as soon as anything has changed.',
  })
  @ApiParam(EXPERIMENT_ID)
  @ApiHeader({
    name: 'If-None-Match',
    required: false,
    description: 'The ETag of an earlier response, a list of ETags, or `*`.',
  })
  @ApiHeader({ name: 'Prefer', required: false, description: '`wait=` and a number of seconds.' })
  @ApiResponses(ExperimentDto, { errors: ['invalid_request', 'insufficient_scope', 'not_found'], headers: ['ETag'] })
  @ApiResponse({
    status: 304,
    description: 'Nothing has changed since the response with that ETag.',
    headers: headersOf(['ETag']),
  })
  async get(
    @Req() request: AuthenticatedRequest,
    @Param('id') id: string,
    @Headers('if-none-match') known: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const latest = await this.look(request, id, known, () => !reply.raw.destroyed && !request.raw.socket.readableEnded);
    const etag = etagOfExperiment(latest);
    reply.header('etag', etag).header('cache-control', 'private, no-cache');
    if (matchesEtag(known, etag)) return void reply.status(304).send();
    void reply.send(latest);
  }

  @Patch(':id')
  @RequiresScope('experiments')
  @ApiOperation({
    operationId: 'experiments_change',
    summary: 'Pause, resume, cancel or retry an experiment, or change its cap',
    description: 'All changes of the body, or none. The key that resumes, retries or raises the cap pays for the rest.',
  })
  @ApiParam(EXPERIMENT_ID)
  @ApiBodyExamples(ChangeExperimentRequest, CHANGE_EXPERIMENT_EXAMPLES)
  @ApiResponses(ExperimentDto, {
    errors: [
      'invalid_request',
      'invalid_json',
      'payment_required',
      'model_not_allowed',
      'insufficient_scope',
      'not_found',
      'conflict',
    ],
  })
  async change(
    @Req() { caller }: AuthenticatedRequest,
    @Param('id') id: string,
    @Body() body: ChangeExperimentRequest,
  ): Promise<ExperimentDto> {
    await this.changes.change(caller, id, body);
    return ExperimentDto.from(await this.experiments.get(caller, id));
  }

  @Delete(':id')
  @HttpCode(202)
  @RequiresScope('experiments')
  @ApiOperation({
    operationId: 'experiments_erase',
    summary: 'Erase an experiment',
    description:
      'Permanently deletes its texts and its evals, and cancels it if it has not ended; rows that run end, are charged and are erased then. Charges, figures, counts and the summary of an experiment that had ended remain.',
  })
  @ApiParam(EXPERIMENT_ID)
  @ApiResponses(ErasedExperimentDto, { status: 202, errors: ['invalid_json', 'insufficient_scope', 'not_found'] })
  async erase(
    @CurrentActor() actor: Actor,
    @Req() { caller }: AuthenticatedRequest,
    @Param('id') id: string,
  ): Promise<ErasedExperimentDto> {
    return { experiment_id: id, state: await this.erasure.erase(actor, caller, id) };
  }

  private async look(
    { caller, headers }: AuthenticatedRequest,
    id: string,
    known: string | undefined,
    isConnected: () => boolean,
  ): Promise<ExperimentDto> {
    const seconds = waitOf(headers);
    const look = () => this.read(caller, id);
    const first = await look();
    const isEnough = (latest: ExperimentDto) =>
      latest.state !== 'running' || (known !== undefined && !matchesEtag(known, etagOfExperiment(latest)));
    if (seconds === 0 || isEnough(first)) return first;
    // A waiting request counts like a running compare.
    await using _slot = await this.concurrency.acquire(caller.keyId);
    return await lookUntil(first, look, isEnough, {
      seconds,
      isWaiting: () => isConnected() && !this.drain.isDraining,
    });
  }

  private async read(caller: Caller, id: string): Promise<ExperimentDto> {
    return ExperimentDto.from(await this.experiments.get(caller, id));
  }
}

/** Changes with every row, and not with the seconds that are left. */
function etagOfExperiment(experiment: ExperimentDto): string {
  return etagOf(JSON.stringify({ ...experiment, eta_seconds: null }));
}
