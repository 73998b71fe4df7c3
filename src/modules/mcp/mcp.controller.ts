import { Controller, Post, Req, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { AnyScope, type AuthenticatedRequest } from '../auth/auth.decorators';
import { Config } from '../../platform/config/config';

/** POST /mcp: one message of the Model Context Protocol, without sessions. Tools check the scopes of their endpoints. */
@AnyScope()
@ApiExcludeController()
@Controller('mcp')
export class McpController {
  constructor(private readonly config: Config) {}

  @Post()
  @RouteConfig({ rawBody: true })
  async answer(@Req() request: AuthenticatedRequest, @Res() reply: FastifyReply): Promise<void> {
    // The protocol takes some megabytes, which a service without assistants does not load.
    const { answerMessage } = await import('./answer-message.js');
    void reply.send(await answerMessage(request, this.config.MCP_MAX_COST_USD));
  }
}
