import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { RequiresScope, type AuthenticatedRequest } from '../auth/auth.decorators';
import { ApiBodyExamples, type BodyExamples } from '../../platform/http/api-body.decorator';
import { ApiResponses } from '../../platform/http/api-responses.decorator';
import { ConcurrencyLimiterService } from '../../platform/rate-limiting/concurrency-limiter.service';
import { RateLimited } from '../../platform/rate-limiting/rate-limited.decorator';
import { ChecksRequest } from './checks.dto';
import { ChecksService } from './checks.service';
import { ChecksAnswerDto } from './verdict.dto';

const EXAMPLES: BodyExamples = [
  [
    'A text that must occur',
    { checks: [{ type: 'contains', values: ['Paris'] }], output: 'The capital of France is Paris.' },
  ],
  ['With a variable', { checks: [{ type: 'equals', value: '{expected}' }], output: 'Paris', expected: 'Paris' }],
  [
    'JSON of a form',
    { checks: [{ type: 'json', schema: { type: 'object', required: ['city'] } }], output: '{"city": "Paris"}' },
  ],
  [
    'A number within a tolerance',
    { checks: [{ type: 'number', value: 42, tolerance: 0.5 }], output: 'The answer is 42.3.' },
  ],
];

/** POST /checks: checks to be tried on a text that is at hand. */
@ApiTags('checks')
@Controller('checks')
export class ChecksController {
  constructor(
    private readonly checks: ChecksService,
    private readonly concurrency: ConcurrencyLimiterService,
  ) {}

  @Post()
  @HttpCode(200)
  @RateLimited('estimate')
  @RequiresScope('evals:read')
  @ApiOperation({
    summary: 'Check a text',
    description:
      'The verdicts of checks on a text of yours, to try them out or to check what comes from elsewhere. Calls no vendor, stores and charges nothing. `latency`, `cost`, `finished` and a `length` in tokens need a model call and are `error` here.',
  })
  @ApiBodyExamples(ChecksRequest, EXAMPLES)
  @ApiResponses(ChecksAnswerDto, { errors: ['invalid_request', 'invalid_json', 'overloaded', 'insufficient_scope'] })
  async decide(@Req() { caller }: AuthenticatedRequest, @Body() body: ChecksRequest): Promise<ChecksAnswerDto> {
    const checks = body.toChecks();
    await using _slot = await this.concurrency.acquire(caller.keyId, 'checks');
    await this.checks.refuseUnusable(caller.userId, checks);
    const [verdicts = []] = await this.checks.verdicts(caller.userId, checks, [{ text: body.output }]);
    return ChecksAnswerDto.from(checks, verdicts);
  }
}
