import { ApiProperty } from '@nestjs/swagger';
import type { AuditEntry } from '../audit/audit-entry.entity';
import type { Changes } from '../audit/changes';
import { text } from '../../platform/http/validation/field-kinds';
import { PageCursor, PageLimit, QueryField } from '../../platform/http/validation/field.decorators';
import { DateTime, Integer, Parts, Schema, Text } from '../../platform/http/answer.decorators';

/** Query of GET /admin/audit. */
export class AuditQuery {
  @PageLimit('entries')
  limit: number = 20;

  @QueryField(text(100, { canBeBlank: true }), 'Only entries about the user, key, eval or charge with this id.')
  target?: string;

  @PageCursor('aud')
  cursor?: string;
}

@Schema('One entry of the audit log.')
export class AuditEntryDto {
  @Text('Entry ID.')
  id!: string;

  @DateTime('Time of the change (UTC).')
  at!: string;

  @Text('What was done.')
  action!: string;

  @Text('Type of the changed resource.')
  target_type!: string;

  @Text('ID of the changed resource.')
  target_id!: string;

  @Text("Fingerprint of the admin key, id of a user's key, or the name of a background task.")
  actor!: string;

  @Text('Request id; null for a background task.', { nullable: true })
  request_id!: string | null;

  @Text('IP address of the client; null for a background task.', { nullable: true })
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

@Schema('A page of the audit log.')
export class AuditListDto {
  @Parts(AuditEntryDto, 'Newest first.')
  entries!: AuditEntryDto[];

  @Integer('The limit applied.')
  limit!: number;
}
