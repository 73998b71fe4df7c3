import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { AuditService } from '../audit/audit.service';
import { AdminOnly } from '../auth/auth.decorators';
import { ApiResponses } from '../../platform/http/api-responses.decorator';
import { AuditEntryDto, AuditListDto, AuditQuery } from './audit.dto';

@ApiTags('admin')
@AdminOnly()
@Controller('admin/audit')
export class AuditController {
  constructor(private readonly audit: AuditService) {}

  @Get()
  @ApiOperation({
    operationId: 'admin_listAuditEntries',
    summary: 'List audit log entries',
    description: 'Newest first. The header `Link: <…>; rel="next"` gives the next page.',
  })
  @ApiResponses(AuditListDto, { errors: ['invalid_request', 'forbidden'], headers: ['Link'] })
  async list(
    @Query() { limit, target, cursor }: AuditQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AuditListDto> {
    const page = await this.audit.list(limit, target, cursor);
    const filter = target === undefined ? '' : `&target=${encodeURIComponent(target)}`;
    if (page.next !== undefined)
      reply.header('link', `</api/v1/admin/audit?limit=${limit}${filter}&cursor=${page.next}>; rel="next"`);
    return { entries: page.items.map((entry) => AuditEntryDto.from(entry)), limit };
  }
}
