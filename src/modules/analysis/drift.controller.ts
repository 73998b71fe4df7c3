import { Controller, Get, Param, Query, Req } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { RequiresScope, type AuthenticatedRequest } from '../auth/auth.decorators';
import { ApiResponses } from '../../platform/http/api-responses.decorator';
import { DriftDto, DriftQuery } from './drift.dto';
import { DriftService } from './drift.service';

@ApiTags('evals')
@Controller('evals')
export class DriftController {
  constructor(private readonly drifts: DriftService) {}

  @Get(':id/drift')
  @RequiresScope('evals:read')
  @ApiOperation({
    operationId: 'evals_drift',
    summary: 'Compare an eval with an earlier one',
    description:
      'What changed for each model that both compared: answers, figures, checks, settings and prices. Calls no model and costs nothing.',
  })
  @ApiParam({ name: 'id', description: 'The `eval_id` returned by POST /compare or GET /evals.' })
  @ApiResponses(DriftDto, { errors: ['invalid_request', 'insufficient_scope', 'not_found'] })
  async get(
    @Req() { caller }: AuthenticatedRequest,
    @Param('id') id: string,
    @Query() query: DriftQuery,
  ): Promise<DriftDto> {
    return DriftDto.from(await this.drifts.compare(caller, id, query.against));
  }
}
