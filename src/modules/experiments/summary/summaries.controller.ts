import { Controller, Get, Param, Query, Req } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { RequiresScope, type AuthenticatedRequest } from '../../auth/auth.decorators';
import { ApiError } from '../../../common/errors';
import { ApiResponses } from '../../../platform/http/api-responses.decorator';
import { isErased } from '../experiment.entity';
import type { ExperimentView } from '../experiment.types';
import { EXPERIMENT_ID } from '../experiments.openapi';
import { ExperimentsService } from '../experiments.service';
import { ExperimentComparisonDto } from './comparison.dto';
import { ComparisonQuery } from './comparison-query.dto';
import { SummariesService } from './summaries.service';
import { ExperimentSummaryDto } from './summary.dto';

/** Reads what experiments have found. */
@ApiTags('experiments')
@Controller('experiments')
export class SummariesController {
  constructor(
    private readonly experiments: ExperimentsService,
    private readonly summaries: SummariesService,
  ) {}

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
