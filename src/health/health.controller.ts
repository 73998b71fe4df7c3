import { Controller, Get, Header, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../auth/auth.decorators';
import { sendError } from '../http/error.filter';
import { ReadinessService } from './readiness.service';

/** For load balancers and people: is the process alive, and can it serve? */
@Public()
@ApiExcludeController()
@Controller('health')
export class HealthController {
  constructor(private readonly readiness: ReadinessService) {}

  @Get('live')
  @Header('cache-control', 'no-store')
  live(): { status: string } {
    return { status: 'ok' };
  }

  @Get('ready')
  @Header('cache-control', 'no-store')
  async ready(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const refusal = await this.readiness.refusal();
    if (refusal === undefined) await reply.send({ status: 'ok' });
    else sendError(refusal, request, reply);
  }
}
