import type { Page } from '../../common/page';
import { choice, listOf, recordId, wholeNumber } from '../../platform/http/validation/field-kinds';
import { Field, PageCursor, PageLimit, QueryField } from '../../platform/http/validation/field.decorators';
import {
  ApiExtends,
  Choice,
  DateTime,
  Integer,
  LimitApplied,
  Parts,
  Schema,
  Text,
} from '../../platform/http/answer.decorators';
import { REDACTIONS, shareStatus, type Redaction, type Share } from './share.entity';
import type { IssuedShare, ShareCommand } from './shares.service';

const DEFAULT_DAYS = 30;
const MAX_DAYS = 365;
const STATUSES = ['live', 'revoked', 'expired'] as const;

@Schema('A link that shows one eval to whoever has it.')
export class CreateShareRequest {
  /** Advice for members that other endpoints have. */
  static readonly hints: ReadonlyMap<string, string> = new Map([['eval_id', 'subject takes the id']]);

  @Field(recordId('eval', 'an eval id'), 'The eval to share.', { example: 'eval_01k9z3t5v7x9b1d3f5h7k9m1n3' })
  subject!: string;

  @Field(wholeNumber(1, MAX_DAYS), 'Days until the link ends.', { optional: true, default: DEFAULT_DAYS })
  expires_in_days?: number;

  @Field(
    listOf(choice(REDACTIONS, 'Redaction'), { of: 'redactions', min: 0, max: REDACTIONS.length, isUnique: true }),
    'What the link leaves out: `prompt` (with input and system message), `outputs`, `costs` (with the token counts, from which they follow), or `models`, which are then called Model A, Model B … in an order of the link.',
    { optional: true, default: [] },
  )
  redact?: Redaction[];

  /** The body as a command, defaults filled in. */
  toCommand(): ShareCommand {
    return { evalId: this.subject, expiresInDays: this.expires_in_days ?? DEFAULT_DAYS, redact: this.redact ?? [] };
  }
}

/** Query of GET /shares. */
export class ShareListQuery {
  @PageLimit('shares')
  limit: number = 20;

  @PageCursor('shr')
  cursor?: string;

  @QueryField(recordId('eval', 'an eval id'), 'Only shares of this eval.')
  subject?: string;

  /** The query of the next page. */
  nextPage(cursor: string): string {
    return new URLSearchParams({
      limit: String(this.limit),
      ...(this.subject !== undefined && { subject: this.subject }),
      cursor,
    }).toString();
  }
}

@Schema('A share link without its token.')
export class ShareDto {
  @Text('Share ID.')
  share_id!: string;

  @Text('The eval that it shows.')
  subject!: string;

  @Choice(REDACTIONS, 'What it leaves out.', { enumName: 'Redaction', isArray: true })
  redact!: Redaction[];

  @Choice(STATUSES, 'Whether it shows the eval, or why it no longer does.')
  status!: (typeof STATUSES)[number];

  @DateTime('Creation time (UTC).')
  created_at!: string;

  @DateTime('When it ends (UTC).')
  expires_at!: string;

  @DateTime('When it was revoked (UTC); null while it is not.', { nullable: true })
  revoked_at!: string | null;

  @Integer('How often it was looked at.')
  views!: number;

  static from(share: Share, now: Date): ShareDto {
    return {
      share_id: share.id,
      subject: share.evalId,
      redact: share.redact,
      status: shareStatus(share, now),
      created_at: share.createdAt.toISOString(),
      expires_at: share.expiresAt.toISOString(),
      revoked_at: share.revokedAt?.toISOString() ?? null,
      views: share.views,
    };
  }
}

@Schema('A new share link with its token.')
@ApiExtends(ShareDto)
export class IssuedShareDto extends ShareDto {
  @Text('The token of GET /shared/{token}; shown only once.')
  token!: string;

  @Text('Where people see it, relative to the address of the service; contains the token.', {
    example: '/shared/mcs_share_…',
  })
  url!: string;

  static issued({ share, token }: IssuedShare, now: Date): IssuedShareDto {
    return { ...ShareDto.from(share, now), token, url: `/shared/${token}` };
  }
}

@Schema('A page of share links.')
export class ShareListDto {
  @Parts(ShareDto, 'Newest first; those that have ended are listed for 30 days more.')
  shares!: ShareDto[];

  @LimitApplied()
  limit!: number;

  static from({ items: shares }: Page<Share>, { limit }: ShareListQuery, now: Date): ShareListDto {
    return { shares: shares.map((share) => ShareDto.from(share, now)), limit };
  }
}
