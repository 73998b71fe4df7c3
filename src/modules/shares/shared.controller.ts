import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../auth/auth.decorators';
import { ApiResponses } from '../../platform/http/api-responses.decorator';
import { RateLimiterService } from '../../platform/rate-limiting/rate-limiter.service';
import { SharedEvalDto } from './shared-eval.dto';
import { SharedExperimentDto } from './shared-experiment.dto';
import { SharedEvalsService } from './shared-evals.service';
import { SHARED_HEADERS, SHARE_TOKEN } from './shares.dto';

@ApiTags('shares')
@Controller('shared')
export class SharedController {
  constructor(
    private readonly shared: SharedEvalsService,
    private readonly limiter: RateLimiterService,
  ) {}

  @Get(':token')
  @Public()
  @ApiOperation({
    operationId: 'shares_open',
    summary: 'See a shared eval or experiment',
    description:
      'Takes no key. Counted per address. A link that never existed, has expired or was revoked, and one of an erased eval or experiment, are the same 404.',
  })
  @ApiParam(SHARE_TOKEN)
  @ApiResponses(SharedEvalDto, { orElse: SharedExperimentDto, errors: ['not_found'], isPublic: true })
  async get(
    @Req() request: FastifyRequest,
    @Param('token') token: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    reply.headers(SHARED_HEADERS);
    await this.limiter.consumeSharedView(request.ip, reply);
    // Programs ask by HEAD whether a link is good, before anybody looks at it.
    const json = await this.shared.view(token, request.method === 'HEAD' ? 0 : 1);
    reply.type('application/json; charset=utf-8');
    return json;
  }
}
