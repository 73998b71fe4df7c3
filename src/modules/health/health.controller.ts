import { Controller, Get, Header, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../auth/auth.decorators';
import { PrimaryChannel } from '../../platform/cluster/primary-channel';
import { ApiError } from '../../common/errors';
import { sendError } from '../../platform/http/error.filter';
import { ReadinessService } from './readiness.service';

/** GET /health/live and /health/ready, the probes of load balancers and orchestrators. */
@Public()
@ApiExcludeController()
@Controller('health')
export class HealthController {
  constructor(
    private readonly readiness: ReadinessService,
    private readonly primary: PrimaryChannel,
  ) {}

  @Get('live')
  @Header('cache-control', 'no-store')
  live(): { status: string } {
    return { status: 'ok' };
  }

  @Get('ready')
  @Header('cache-control', 'no-store')
  async ready(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const error = this.primary.isStarting
      ? new ApiError('unavailable', { message: 'Not all workers have started.', retryAfterSeconds: 1 })
      : await this.readiness.check();
    if (error === undefined) await reply.send({ status: 'ok' });
    else sendError(error, request, reply);
  }
}
