import { Controller, Get, Headers, Query, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { RequiresScope, type AuthenticatedRequest } from '../auth/auth.decorators';
import { ApiResponses } from '../../platform/http/api-responses.decorator';
import { matchesEtag } from '../../platform/http/etag';
import { IncludeQuery } from '../../platform/http/include.dto';
import { headersOf } from '../../platform/http/openapi/response-headers';
import { ModelsResponseCache } from './models-response-cache';
import { ModelListDto } from './models.dto';
import { ModelsService } from './models.service';

@ApiTags('models')
@Controller('models')
export class ModelsController {
  private readonly responses = new ModelsResponseCache();

  constructor(private readonly models: ModelsService) {}

  @Get()
  @RequiresScope('models:read')
  @ApiOperation({
    summary: 'List the available models',
    description: 'Models whose vendor is configured and which the key may call, with prices per million tokens.',
  })
  @ApiHeader({
    name: 'If-None-Match',
    required: false,
    description: 'The ETag of an earlier response, a list of ETags, or `*`.',
  })
  @ApiResponses(ModelListDto, { errors: ['invalid_request', 'insufficient_scope'], headers: ['ETag'] })
  @ApiResponse({
    status: 304,
    description: 'The list has not changed since the response with that ETag.',
    headers: headersOf(['ETag']),
  })
  list(
    @Req() { caller }: AuthenticatedRequest,
    @Query() { include }: IncludeQuery,
    @Headers('if-none-match') ifNoneMatch: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): string | undefined {
    const { body, etag } = this.responses.get(this.models.list(), caller.allowedModels, include === 'details');
    reply.header('etag', etag).header('cache-control', 'private, no-cache');
    if (matchesEtag(ifNoneMatch, etag)) {
      reply.status(304);
      return undefined;
    }
    reply.type('application/json; charset=utf-8');
    return body;
  }
}
