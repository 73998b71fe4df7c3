import { ApiError } from '../../common/errors';
import { isId } from '../../common/ids';
import type { Page } from '../../common/page';
import { choice, flag, listOf, pattern, text, wholeNumber } from '../../platform/http/validation/field-kinds';
import { Field, PageCursor, PageLimit, QueryField } from '../../platform/http/validation/field.decorators';
import {
  ApiExtends,
  Choice,
  DateTime,
  Flag,
  Integer,
  LimitApplied,
  Parts,
  Schema,
  Text,
} from '../../platform/http/answer.decorators';
import { BallotQuery, MAX_VOTER_CHARACTERS } from '../experiments/votes/votes.dto';
import { REDACTIONS, shareStatus, type Redaction, type Share } from './share.entity';
import type { IssuedShare, ShareCommand } from './shares.service';

/** On every answer, errors included: the address of a link is its secret, so it must not be indexed or passed on. */
export const SHARED_HEADERS = {
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex',
  'referrer-policy': 'no-referrer',
};
/** The parameter of the path of a share. */
export const SHARE_TOKEN = { name: 'token', description: 'The `token` returned by POST /shares.' };

const DEFAULT_DAYS = 30;
const MAX_DAYS = 365;
/** The omissions of a link to an experiment without texts. */
const WITHOUT_TEXTS: Redaction[] = ['prompt', 'outputs'];
const SUBJECT = pattern(
  /^(eval|exp)_[0-9a-hjkmnp-tv-z]{26}$/,
  'an eval id such as eval_01k9z3t5v7x9b1d3f5h7k9m1n3, or an experiment id such as exp_01k9z3t5v7x9b1d3f5h7k9m1n3',
);
const STATUSES = ['live', 'revoked', 'expired'] as const;

@Schema('A link that shows one eval or experiment to whoever has it.')
export class CreateShareRequest {
  /** Advice for members that other endpoints have. */
  static readonly hints: ReadonlyMap<string, string> = new Map([['eval_id', 'subject takes the id']]);

  @Field(SUBJECT, 'The eval, or the experiment that has ended.', { example: 'eval_01k9z3t5v7x9b1d3f5h7k9m1n3' })
  subject!: string;

  @Field(
    flag(),
    'Of an experiment: whether its texts are shown, which are prompt, options, checks, rows with answers, and the reason of the decision.',
    { optional: true, default: false },
  )
  texts?: boolean;

  @Field(
    flag(),
    'Of an experiment of judges: whether everyone with the link may vote. A ballot shows the question, the criterion and answers.',
    { optional: true, default: false },
  )
  votes?: boolean;

  @Field(wholeNumber(1, MAX_DAYS), 'Days until the link ends.', { optional: true, default: DEFAULT_DAYS })
  expires_in_days?: number;

  @Field(
    listOf(choice(REDACTIONS, 'Redaction'), { of: 'redactions', min: 0, max: REDACTIONS.length, isUnique: true }),
    'What the link of an eval leaves out: `prompt` (with input and system message), `outputs`, `costs` (with the token counts, from which they follow), or `models`, which are then called Model A, Model B … in an order of the link.',
    { optional: true, default: [] },
  )
  redact?: Redaction[];

  /** The body as a command, defaults filled in. @throws ApiError invalid_request for a member of the other kind */
  toCommand(): ShareCommand {
    const isExperiment = isId('exp', this.subject);
    const foreign = isExperiment ? (['redact'] as const) : (['texts', 'votes'] as const);
    const given = foreign.find((member) => this[member] !== undefined);
    if (given !== undefined)
      throw new ApiError('invalid_request', {
        message: `${given} is for ${isExperiment ? 'evals; an experiment has texts' : 'experiments; an eval has redact'}.`,
        param: given,
      });
    const redact = isExperiment ? (this.texts === true ? [] : WITHOUT_TEXTS) : (this.redact ?? []);
    return {
      subject: this.subject,
      expiresInDays: this.expires_in_days ?? DEFAULT_DAYS,
      redact,
      votes: this.votes ?? false,
    };
  }
}

/** Query of GET /shares. */
export class ShareListQuery {
  @PageLimit('shares')
  limit: number = 20;

  @PageCursor('shr')
  cursor?: string;

  @QueryField(SUBJECT, 'Only shares of this eval or experiment.')
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

/** Query of GET /shared/{token}/ballot. */
export class SharedBallotQuery extends BallotQuery {
  @Field(text(MAX_VOTER_CHARACTERS), 'The name under which the votes count.')
  voter!: string;
}

@Schema('A share link without its token.')
export class ShareDto {
  @Text('Share ID.')
  share_id!: string;

  @Text('The eval or experiment that it shows.')
  subject!: string;

  @Choice(REDACTIONS, 'What it leaves out.', { enumName: 'Redaction', isArray: true })
  redact!: Redaction[];

  @Flag('Whether everyone with the link may vote.')
  votes!: boolean;

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
      subject: share.evalId ?? share.experimentId ?? '',
      redact: share.redact,
      votes: share.votes,
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
