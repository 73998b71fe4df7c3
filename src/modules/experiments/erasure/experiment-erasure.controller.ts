import { Controller, Delete, HttpCode, Param, Req } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Actor } from '../../audit/actor';
import { CurrentActor, RequiresScope, type AuthenticatedRequest } from '../../auth/auth.decorators';
import { ApiResponses } from '../../../platform/http/api-responses.decorator';
import { ErasedExperimentDto } from '../experiment.dto';
import { EXPERIMENT_ID } from '../experiments.openapi';
import { SummariesService } from '../summary/summaries.service';
import { ExperimentErasureService } from './experiment-erasure.service';

/** Erases experiments. */
@ApiTags('experiments')
@Controller('experiments')
export class ExperimentErasureController {
  constructor(
    private readonly erasure: ExperimentErasureService,
    private readonly summaries: SummariesService,
  ) {}

  @Delete(':id')
  @HttpCode(202)
  @RequiresScope('experiments')
  @ApiOperation({
    operationId: 'experiments_erase',
    summary: 'Erase an experiment',
    description:
      'Permanently deletes its texts and its evals, and cancels it if it has not ended; rows that run end, are charged and are erased then. Charges, figures, counts and the summary of an experiment that had ended remain, and GET /experiments/{id} still answers.',
  })
  @ApiParam(EXPERIMENT_ID)
  @ApiResponses(ErasedExperimentDto, { status: 202, errors: ['invalid_json', 'insufficient_scope', 'not_found'] })
  async erase(
    @CurrentActor() actor: Actor,
    @Req() { caller }: AuthenticatedRequest,
    @Param('id') id: string,
  ): Promise<ErasedExperimentDto> {
    await this.summaries.keepFinal(caller.userId, id);
    return { experiment_id: id, state: await this.erasure.erase(actor, caller, id) };
  }
}
