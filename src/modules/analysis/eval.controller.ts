import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { RequiresScope, type AuthenticatedRequest } from '../auth/auth.decorators';
import { EvalsService } from '../evals/evals.service';
import { judgmentParts } from '../evals/judgments.dto';
import { JudgmentsService } from '../evals/judgments.service';
import { ApiResponses } from '../../platform/http/api-responses.decorator';
import { IncludeInStoredEvalQuery } from '../../platform/http/include.dto';
import { AgreementDto } from './agreement.dto';
import { DriftDto, DriftQuery } from './drift.dto';
import { DriftService } from './drift.service';
import { EvalStatisticsService } from './eval-statistics.service';
import { EvalDto } from './eval.dto';
import { ProjectionDto, ProjectionQuery } from './projection.dto';

const ID = { name: 'id', description: 'The `eval_id` returned by POST /compare or GET /evals.' };

/** Reads one eval, and what follows from it. */
@ApiTags('evals')
@Controller('evals')
export class EvalController {
  constructor(
    private readonly evals: EvalsService,
    private readonly statistics: EvalStatisticsService,
    private readonly judgments: JudgmentsService,
    private readonly drifts: DriftService,
  ) {}

  @Get(':id')
  @RequiresScope('evals:read')
  @ApiOperation({
    operationId: 'evals_get',
    summary: 'Get one eval with its results',
    description: 'The eval as POST /compare returned it.',
  })
  @ApiParam(ID)
  @ApiResponses(EvalDto, { errors: ['invalid_request', 'insufficient_scope', 'not_found'] })
  async get(
    @Req() { caller }: AuthenticatedRequest,
    @Param('id') id: string,
    @Query() query: IncludeInStoredEvalQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<EvalDto | string> {
    if (query.include !== undefined) {
      const include = query.toInclusions();
      const found = await this.statistics.get(caller, id, include);
      return { ...found, ...judgmentParts((await this.judgments.of(caller, [id], include)).get(id), include) };
    }
    const json = await this.evals.getAsJson(caller, id);
    reply.type('application/json; charset=utf-8');
    return json;
  }

  @Get(':id/agreement')
  @RequiresScope('evals:read')
  @ApiOperation({
    operationId: 'evals_agreement',
    summary: 'How far the models of an eval agree',
    description: 'Compares all answers with each other. Calls no model, costs nothing, says the same on every call.',
  })
  @ApiParam(ID)
  @ApiResponses(AgreementDto, { errors: ['insufficient_scope', 'not_found'] })
  async agreement(@Req() { caller }: AuthenticatedRequest, @Param('id') id: string): Promise<AgreementDto> {
    return AgreementDto.from(await this.statistics.agreement(caller, id));
  }

  @Get(':id/drift')
  @RequiresScope('evals:read')
  @ApiOperation({
    operationId: 'evals_drift',
    summary: 'Compare an eval with an earlier one',
    description:
      'What changed for each model that both compared: answers, figures, checks, settings and prices. Calls no model, costs nothing.',
  })
  @ApiParam(ID)
  @ApiResponses(DriftDto, { errors: ['invalid_request', 'insufficient_scope', 'not_found'] })
  async drift(
    @Req() { caller }: AuthenticatedRequest,
    @Param('id') id: string,
    @Query() query: DriftQuery,
  ): Promise<DriftDto> {
    return DriftDto.from(await this.drifts.compare(caller, id, query.against));
  }

  @Get(':id/projection')
  @RequiresScope('evals:read')
  @ApiOperation({
    operationId: 'evals_projection',
    summary: 'Project the cost of an eval to a month',
    description:
      "What a month of calls like those of this eval would cost, at today's prices and at every price already announced: its token counts, priced anew. Calls no model and costs nothing.",
  })
  @ApiParam(ID)
  @ApiResponses(ProjectionDto, { errors: ['invalid_request', 'insufficient_scope', 'not_found'] })
  async projection(
    @Req() { caller }: AuthenticatedRequest,
    @Param('id') id: string,
    @Query() query: ProjectionQuery,
  ): Promise<ProjectionDto> {
    return ProjectionDto.from(await this.statistics.project(caller, id, query.calls_per_month));
  }
}
