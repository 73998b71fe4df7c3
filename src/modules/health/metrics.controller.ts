import { Controller, Get, Header, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../auth/auth.decorators';
import { ApiError } from '../../common/errors';
import { RateLimiterService } from '../../platform/rate-limiting/rate-limiter.service';
import { MetricsService } from './metrics.service';

/** GET /metrics for Prometheus, authenticated by METRICS_TOKEN instead of an API key. */
@Public()
@ApiExcludeController()
@Controller('metrics')
export class MetricsController {
  constructor(
    private readonly metrics: MetricsService,
    private readonly limiter: RateLimiterService,
  ) {}

  @Get()
  @Header('cache-control', 'no-store')
  @Header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
  async read(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    if (!this.metrics.isAuthorized(request.raw.headersDistinct['authorization'] ?? [])) {
      await this.limiter.consumeAuthFailure(request.ip, reply);
      reply.header('www-authenticate', 'Bearer');
      throw new ApiError('unauthorized', {
        message: 'Metrics require their own token: Authorization: Bearer <METRICS_TOKEN>.',
      });
    }
    return this.metrics.text();
  }
}
