import { EvalChecksDto } from '../checks/verdict.dto';
import type { Money } from '../../common/money';
import type { Inclusions } from '../../platform/http/include.dto';
import { hasPassed } from './checked-as';
import type { EvalStatistics } from './eval-statistics';
import { EvalStatisticsDto } from './eval-statistics.dto';
import type { StoredEval } from '../evals/evals.service';
import { JUDGMENT_MEMBERS, type PreferenceDto } from '../evals/judgments.dto';
import { cheapest } from '../evals/ranking';
import { ResultDto } from '../evals/result.dto';
import { TurnDto } from '../evals/turns.field';
import { EFFORTS, type Effort } from '../../common/effort';
import type { ResponseFormat } from '../../common/response-format';
import {
  Choice,
  DateTime,
  Decimal,
  Facts,
  Flag,
  Integer,
  Part,
  Parts,
  Schema,
  Text,
  Texts,
  UsdAmount,
} from '../../platform/http/answer.decorators';

@Schema('Key figures of an eval.')
class EvalMetaDto {
  @UsdAmount('Total cost over all results in USD, exact.', { example: 0.0000231 })
  total_cost_usd!: Money;

  @Text(
    'Model ID with the lowest median latency, a timeout being slower than every answer. A result without text leads only where none has any. Empty when every model failed.',
    { example: 'sim-swift' },
  )
  fastest_model!: string;

  @Text(
    'Model ID with the lowest median cost of its successful results. A result without text leads only where none has any. Empty when every model failed.',
    { example: 'sim-swift' },
  )
  cheapest_model!: string;

  @DateTime('When it was asked for (UTC): its start, or the time of the 202.')
  created_at!: string;
}

@Schema('The options of an eval with defaults filled in.')
class EvalOptionsDto {
  @Decimal('Sampling temperature.', { example: 0.7 })
  temperature!: number;

  @Integer('Maximum output tokens per model.', { example: 500 })
  max_tokens!: number;

  @Integer('How often each model was called; only where that was more than once.', { optional: true, example: 10 })
  samples?: number;

  @Text('System message; only where there was one.', { optional: true })
  system?: string;

  @Parts(TurnDto, 'Earlier turns; only where there were some.', { optional: true })
  history?: TurnDto[];

  @Choice(EFFORTS, 'The effort asked for; only where there was one.', { optional: true, enumName: 'ReasoningEffort' })
  reasoning_effort?: Effort;

  @Integer('Room for thought beyond max_tokens; only where it was set.', { optional: true })
  reasoning_tokens?: number;

  @Facts('The form in which answers were asked for; only where there was one.', { optional: true })
  response_format?: ResponseFormat;

  @Flag('Whether a substituted answer is a failure; only where it was set.', { optional: true })
  exact_model?: boolean;
}

@Schema('The model that leads among those that pass.')
class EvalLeadersDto {
  @Text('The model of the lowest median cost of those all of whose answers pass their checks; null if none does.', {
    nullable: true,
    example: 'sim-swift',
  })
  cheapest_passing!: string | null;
}

@Schema('What an eval was requested with and how it was charged; only with `include=details`.')
class EvalDetailsDto {
  @Text('The input as submitted.', { nullable: true })
  input!: string | null;

  @Part(EvalOptionsDto, 'The options with defaults filled in.')
  options!: EvalOptionsDto;

  @UsdAmount('Charge to the user in USD, exact: cost plus margin, or 0 when the eval was free.', {
    example: 0.00003234,
  })
  charge_usd!: Money;

  @Flag("Whether the eval used one of the month's free evals.")
  free!: boolean;

  @Integer('Milliseconds from the start to the last result.')
  duration_ms!: number;

  @Text('The experiment of which it is a row; only then present.', { optional: true })
  experiment_id?: string;

  @Part(EvalLeadersDto, 'Only where there are checks.', { optional: true })
  leaders?: EvalLeadersDto;

  static from({ record, results }: StoredEval): EvalDetailsDto {
    return {
      input: record.input,
      options: {
        temperature: record.temperature,
        max_tokens: record.maxTokens,
        ...(record.samples > 1 && { samples: record.samples }),
        ...record.options,
      },
      charge_usd: record.charge,
      free: record.isFree,
      duration_ms: record.durationMs,
      experiment_id: record.experimentId ?? undefined,
      ...((record.checks ?? []).length > 0 && { leaders: { cheapest_passing: cheapestPassing(results) } }),
    };
  }
}

@Schema('A comparison with its results.')
export class EvalDto {
  @Text('Eval ID.')
  eval_id!: string;

  @Text('The prompt as submitted.', { example: 'Say {input} in French.' })
  prompt!: string;

  @Texts('Model IDs in request order.', { example: ['sim-swift'] })
  models!: string[];

  @Parts(ResultDto, 'One per model, in request order; with samples, so for each of them.')
  results!: ResultDto[];

  @Part(EvalMetaDto, 'Key figures.')
  meta!: EvalMetaDto;

  @Part(EvalDetailsDto, 'Only with include=details.', { optional: true })
  details?: EvalDetailsDto;

  @Part(EvalStatisticsDto, 'Only with include=statistics.', { optional: true })
  statistics?: EvalStatisticsDto;

  @Part(EvalChecksDto, 'Only with include=checks.', { optional: true })
  checks?: EvalChecksDto;

  @JUDGMENT_MEMBERS.preference
  preference?: PreferenceDto | null;

  @JUDGMENT_MEMBERS.note
  note?: string | null;

  @JUDGMENT_MEMBERS.starred
  starred?: boolean;

  static from(stored: StoredEval, include: Inclusions = {}, statistics?: EvalStatistics): EvalDto {
    const { record, results } = stored;
    return {
      eval_id: record.id,
      prompt: record.prompt,
      models: record.models,
      results: results.map((result) => ResultDto.from(result, include)),
      meta: {
        total_cost_usd: record.totalCost,
        fastest_model: record.fastestModel,
        cheapest_model: record.cheapestModel,
        created_at: record.createdAt.toISOString(),
      },
      ...(include.details === true && { details: EvalDetailsDto.from(stored) }),
      ...(include.checks === true && { checks: checksOf(stored) }),
      statistics: statistics && EvalStatisticsDto.from(statistics),
    };
  }
}

function cheapestPassing(results: StoredEval['results']): string | null {
  const failing = new Set(results.filter((result) => !hasPassed(result)).map(({ model }) => model));
  return cheapest(results.filter(({ model }) => !failing.has(model))) || null;
}

function checksOf({ record, results }: StoredEval): EvalChecksDto {
  return EvalChecksDto.from(
    record.checks ?? [],
    record.models,
    results.map(({ model, error, checks }) => ({ model, isAnswered: error === null, verdicts: checks ?? [] })),
  );
}
