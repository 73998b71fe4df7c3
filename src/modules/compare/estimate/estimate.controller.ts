import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { RequiresScope, type AuthenticatedRequest } from '../../auth/auth.decorators';
import { ApiBodyExamples } from '../../../platform/http/api-body.decorator';
import { ApiResponses } from '../../../platform/http/api-responses.decorator';
import { preferencesOf } from '../../../platform/http/prefer';
import { ConcurrencyLimiterService } from '../../../platform/rate-limiting/concurrency-limiter.service';
import { RateLimited } from '../../../platform/rate-limiting/rate-limited.decorator';
import { CompareRequest } from '../compare.dto';
import { COMPARE_EXAMPLES } from '../compare.openapi';
import { ASYNC_SAMPLE_LIMITS, SAMPLE_LIMITS } from '../sample-limits';
import { EstimateDto } from './estimate.dto';
import { EstimateService } from './estimate.service';

/** POST /compare/estimate. */
@ApiTags('compare')
@Controller('compare/estimate')
export class EstimateController {
  constructor(
    private readonly estimates: EstimateService,
    private readonly concurrency: ConcurrencyLimiterService,
  ) {}

  @Post()
  @HttpCode(200)
  @RateLimited('estimate')
  @RequiresScope('compare')
  @ApiOperation({
    operationId: 'compare_estimate',
    summary: 'Estimate the cost of a compare',
    description:
      'The body of POST /compare, with `Prefer: respond-async` also its higher limits. Calls no vendor, charges nothing and uses no free eval.',
  })
  @ApiBodyExamples(CompareRequest, COMPARE_EXAMPLES.slice(0, 2))
  @ApiResponses(EstimateDto, {
    errors: [
      'overloaded',
      'invalid_request',
      'invalid_json',
      'unknown_model',
      'max_cost_exceeded',
      'model_not_allowed',
      'insufficient_scope',
      'body_too_large',
      'unsupported_media_type',
    ],
  })
  async estimate(@Req() { caller, headers }: AuthenticatedRequest, @Body() body: CompareRequest): Promise<EstimateDto> {
    const command = body.toCommand(undefined, preferencesOf(headers).isAsync ? ASYNC_SAMPLE_LIMITS : SAMPLE_LIMITS);
    await using _slot = await this.concurrency.acquire(caller.keyId, 'estimates');
    return EstimateDto.from(await this.estimates.estimate(caller, command));
  }
}
