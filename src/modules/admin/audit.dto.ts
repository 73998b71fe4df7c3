import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import type { AuditEntry } from '../audit/audit-entry.entity';
import type { Changes } from '../audit/changes';
import { text } from '../../platform/http/validation/field-kinds';
import { QueryField } from '../../platform/http/validation/field.decorators';
import { PageCursor, PageLimit } from '../../platform/http/validation/page.decorators';

/** Query of GET /admin/audit. */
export class AuditQuery {
  @PageLimit('entries')
  limit: number = 20;

  @QueryField(text(100, { canBeBlank: true }), {
    description: 'Only entries about the user, key, eval or charge with this id.',
  })
  target?: string;

  @PageCursor('aud', { description: 'Cursor from the Link header of the previous page.' })
  cursor?: string;
}

/** One entry of the audit log. */
@ApiSchema({ name: 'AuditEntry', description: 'One entry of the audit log.' })
export class AuditEntryDto {
  @ApiProperty({ description: 'Entry ID.' })
  id!: string;

  @ApiProperty({ format: 'date-time', description: 'Time of the change (UTC).' })
  at!: string;

  @ApiProperty({ description: 'What was done.' })
  action!: string;

  @ApiProperty({ description: 'Type of the changed resource.' })
  target_type!: string;

  @ApiProperty({ description: 'ID of the changed resource.' })
  target_id!: string;

  @ApiProperty({ description: "Fingerprint of the admin key, id of a user's key, or the name of a background task." })
  actor!: string;

  @ApiProperty({ type: 'string', nullable: true, description: 'Request id; null for a background task.' })
  request_id!: string | null;

  @ApiProperty({ type: 'string', nullable: true, description: 'IP address of the client; null for a background task.' })
  address!: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: {
      type: 'object',
      properties: {
        from: { description: 'Value before; null when there was none.' },
        to: { description: 'Value after.' },
      },
      required: ['from', 'to'],
    },
    description: 'The changed fields, each with `from` and `to`; amounts are decimal strings.',
    example: { expires_at: { from: null, to: '2027-01-01T00:00:00.000Z' } },
  })
  changes!: Changes;

  static from(entry: AuditEntry): AuditEntryDto {
    return {
      id: entry.id,
      at: entry.at.toISOString(),
      action: entry.action,
      target_type: entry.targetType,
      target_id: entry.targetId,
      actor: entry.actor,
      request_id: entry.requestId,
      address: entry.address,
      changes: entry.changes,
    };
  }
}

/** Response body of GET /admin/audit. */
@ApiSchema({ name: 'AuditList', description: 'A page of the audit log.' })
export class AuditListDto {
  @ApiProperty({ type: [AuditEntryDto], description: 'Newest first.' })
  entries!: AuditEntryDto[];

  @ApiProperty({ type: 'integer', description: 'The limit applied.' })
  limit!: number;
}
