import { ApiError } from '../../common/errors';
import type { Money } from '../../common/money';
import type { Page } from '../../common/page';
import { IncludeInEvalListQuery, type JudgmentInclusions } from '../../platform/http/include.dto';
import {
  flag,
  MAX_MODEL_ARM_CHARACTERS,
  recordId,
  text,
  wholeNumber,
} from '../../platform/http/validation/field-kinds';
import { digits, PageCursor, PageLimit, QueryField } from '../../platform/http/validation/field.decorators';
import type { EvalFilter } from './evals.repository';
import type { EvalSummary } from './evals.repository';
import { JUDGMENT_MEMBERS, judgmentParts, type PreferenceDto } from './judgments.dto';
import type { EvalJudgment } from './judgments.repository';
import {
  DateTime,
  Flag,
  Integer,
  LimitApplied,
  Part,
  Parts,
  Schema,
  Text,
  Texts,
  UsdAmount,
} from '../../platform/http/answer.decorators';

const MAX_SEARCH_CHARACTERS = 200;

@Schema('Key figures of an eval in a list.')
class EvalSummaryMetaDto {
  @UsdAmount('Total cost over all results in USD, exact.', { example: 0.0000231 })
  total_cost_usd!: Money;

  @Text('Model ID with the lowest latency, with samples the lowest median latency; empty when every model failed.', {
    example: 'sim-swift',
  })
  fastest_model!: string;
}

@Schema('How an eval was charged and which of its models failed; only with `include=details`.')
class EvalSummaryDetailsDto {
  @UsdAmount('Charge to the user in USD, exact.', { example: 0.00003234 })
  charge_usd!: Money;

  @Flag("Whether the eval used one of the month's free evals.")
  free!: boolean;

  @Texts('IDs of the models that failed (with samples, in all of them), in request order.')
  failed_models!: string[];

  static from({ charge, isFree, failedModels }: EvalSummary): EvalSummaryDetailsDto | undefined {
    return charge === undefined || isFree === undefined || failedModels === undefined
      ? undefined
      : { charge_usd: charge, free: isFree, failed_models: failedModels };
  }
}

@Schema('An eval in a list, without its results.')
export class EvalSummaryDto {
  @Text('Eval ID.')
  eval_id!: string;

  @Text('The prompt as submitted.', { example: 'Say {input} in French.' })
  prompt!: string;

  @Texts('Model IDs in request order.', { example: ['sim-swift'] })
  models!: string[];

  @DateTime('When it was asked for (UTC): its start, or the time of the 202.')
  created_at!: string;

  @Part(EvalSummaryMetaDto, 'Key figures.')
  meta!: EvalSummaryMetaDto;

  @Part(EvalSummaryDetailsDto, 'Only with include=details.', { optional: true })
  details?: EvalSummaryDetailsDto;

  @JUDGMENT_MEMBERS.preference
  preference?: PreferenceDto | null;

  @JUDGMENT_MEMBERS.note
  note?: string | null;

  @JUDGMENT_MEMBERS.starred
  starred?: boolean;

  static from(summary: EvalSummary, judgment: EvalJudgment | undefined, include: JudgmentInclusions): EvalSummaryDto {
    return {
      eval_id: summary.id,
      prompt: summary.prompt,
      models: summary.models,
      created_at: summary.createdAt.toISOString(),
      meta: { total_cost_usd: summary.totalCost, fastest_model: summary.fastestModel },
      details: EvalSummaryDetailsDto.from(summary),
      ...judgmentParts(judgment, include),
    };
  }
}

@Schema('A page of evals.')
export class EvalListDto {
  @Parts(EvalSummaryDto, 'Newest first.')
  evals!: EvalSummaryDto[];

  @LimitApplied()
  limit!: number;

  @Integer('The offset applied.', { example: 0 })
  offset!: number;

  static from(
    { items }: Page<EvalSummary>,
    { limit, offset }: EvalListQuery,
    judgments: Map<string, EvalJudgment>,
    include: JudgmentInclusions,
  ): EvalListDto {
    return {
      evals: items.map((summary) => EvalSummaryDto.from(summary, judgments.get(summary.id), include)),
      limit,
      offset,
    };
  }
}

/** Query of GET /evals. */
export class EvalListQuery extends IncludeInEvalListQuery {
  @PageLimit('results')
  limit: number = 20;

  @QueryField(
    wholeNumber(0, Number.MAX_SAFE_INTEGER),
    'Number of results to skip. Distant pages are cheaper with the cursor from the Link header.',
    { read: digits, default: 0 },
  )
  offset: number = 0;

  @PageCursor('eval', 'Cursor from the Link header of the previous page; unaffected by new evals.')
  cursor?: string;

  @QueryField(text(MAX_SEARCH_CHARACTERS), 'Only evals whose prompt contains this text, in upper or lower case.')
  q?: string;

  @QueryField(
    text(MAX_MODEL_ARM_CHARACTERS),
    'Only evals that compared the model with this ID, at any effort; an ID with an effort, such as `gpt-6.2-sol@low`, finds only that.',
  )
  model?: string;

  @QueryField(flag(), 'With `true`, only evals with a star.', {
    read: (value) => (value === 'true' || value === 'false' ? value === 'true' : value),
  })
  starred?: boolean;

  @QueryField(recordId('exp', 'an experiment id'), 'Only evals of this experiment; without it, only evals of none.')
  experiment?: string;

  /** The search; undefined if everything is listed. @throws ApiError invalid_request for an offset in a search */
  toFilter(): EvalFilter | undefined {
    const isStarred = this.starred === true;
    if (this.q === undefined && this.model === undefined && !isStarred) return undefined;
    if (this.offset > 0)
      throw new ApiError('invalid_request', {
        message: 'offset cannot be combined with q, model or starred; follow the Link header instead.',
        param: 'offset',
      });
    return { text: this.q, model: this.model, isStarred };
  }

  /** The query of the next page. */
  nextPage(cursor: string): string {
    const { limit, q, model, starred, experiment, include } = this;
    return new URLSearchParams(
      Object.entries({
        limit: String(limit),
        q,
        model,
        starred: starred?.toString(),
        experiment,
        include,
        cursor,
      }).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ).toString();
  }
}
