import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { RequiresScope, type AuthenticatedRequest } from '../auth/auth.decorators';
import { ApiBodyExamples } from '../http/api-body.decorator';
import { ApiResponses } from '../http/api-responses.decorator';
import { ConcurrencyLimiterService } from '../rate-limiting/concurrency-limiter.service';
import { RateLimited } from '../rate-limiting/rate-limited.decorator';
import { EstimateExperimentService } from './estimate-experiment.service';
import { EstimateExperimentRequest, ExperimentEstimateDto } from './experiments.dto';
import { ESTIMATE_EXPERIMENT_EXAMPLES } from './experiments.openapi';

/** POST /experiments/estimate. */
@ApiTags('experiments')
@Controller('experiments')
export class EstimateExperimentController {
  constructor(
    private readonly estimates: EstimateExperimentService,
    private readonly concurrency: ConcurrencyLimiterService,
  ) {}

  @Post('estimate')
  @HttpCode(200)
  @RateLimited('estimate')
  @RequiresScope('experiments')
  @ApiOperation({ operationId: 'experiments_estimate', summary: 'Estimate the cost of an experiment', description: 'Accepts the body of POST /experiments; `max_cost_usd` may be left out. Calls no vendor and charges nothing.' })
  @ApiBodyExamples(EstimateExperimentRequest, ESTIMATE_EXPERIMENT_EXAMPLES)
  @ApiResponses(ExperimentEstimateDto, { errors: ['invalid_request', 'invalid_json', 'unknown_model', 'model_not_allowed', 'insufficient_scope', 'not_found', 'overloaded'] })
  async estimate(@Req() { caller }: AuthenticatedRequest, @Body() body: EstimateExperimentRequest): Promise<ExperimentEstimateDto> {
    await using _slot = await this.concurrency.acquire(caller.keyId, 'estimates');
    return ExperimentEstimateDto.from(await this.estimates.estimate(caller, body.toCommand()));
  }
}
