import { Controller, Get, Param, Query, Req } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { RequiresScope, type AuthenticatedRequest } from '../auth/auth.decorators';
import { ApiResponses } from '../../platform/http/api-responses.decorator';
import { ProjectionDto, ProjectionQuery } from './projection.dto';
import { ProjectionService } from './projection.service';

@ApiTags('evals')
@Controller('evals')
export class ProjectionController {
  constructor(private readonly projections: ProjectionService) {}

  @Get(':id/projection')
  @RequiresScope('evals:read')
  @ApiOperation({
    operationId: 'evals_projection',
    summary: 'Project the cost of an eval to a month',
    description:
      "What a month of calls like those of this eval would cost, at today's prices and at every price already announced: its token counts, priced anew. Calls no model and costs nothing.",
  })
  @ApiParam({ name: 'id', description: 'The `eval_id` returned by POST /compare or GET /evals.' })
  @ApiResponses(ProjectionDto, { errors: ['invalid_request', 'insufficient_scope', 'not_found'] })
  async get(
    @Req() { caller }: AuthenticatedRequest,
    @Param('id') id: string,
    @Query() query: ProjectionQuery,
  ): Promise<ProjectionDto> {
    return ProjectionDto.from(await this.projections.project(caller, id, query.calls_per_month));
  }
}
