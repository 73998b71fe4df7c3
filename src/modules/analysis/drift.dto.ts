import { Money } from '../../common/money';
import { RatesDto } from '../../platform/http/rates.dto';
import { recordId } from '../../platform/http/validation/field-kinds';
import { QueryField } from '../../platform/http/validation/field.decorators';
import type { Change, CheckChanges } from './drift';
import type { OutputChange } from '../statistics/answer-pairs';
import type { Significance } from './drift-significance';
import type { EvalDrift, ModelDrift } from './drift.service';
import { SentParameters, pricesOf } from '../evals/result.dto';
import {
  Choice,
  Decimal,
  Flag,
  Integer,
  ModelId,
  Part,
  Parts,
  Schema,
  Text,
  Texts,
} from '../../platform/http/answer.decorators';

/** Query of GET /evals/:id/drift. */
export class DriftQuery {
  @QueryField(
    recordId('eval', 'an eval id'),
    'The earlier eval to compare with; by default the one that this eval re-ran.',
  )
  against?: string;
}

@Schema(
  'A figure before and after; null where no answer counts: answers without text count only if neither eval has others.',
)
class NumberChangeDto {
  @Decimal('In the earlier eval.', { nullable: true })
  before!: number | null;

  @Decimal('In this eval.', { nullable: true })
  after!: number | null;

  @Decimal('After minus before.', { nullable: true })
  change!: number | null;
}

@Schema('How many calls of a model answered.')
class AnswerCountsDto {
  @Integer('In the earlier eval.')
  before!: number;

  @Integer('In this eval.')
  after!: number;
}

@Schema(
  'Names of the checks that another share of the answers passed than before; only checks that both evals define alike.',
)
class CheckChangesDto implements CheckChanges {
  @Texts('More answers passed.')
  improved!: string[];

  @Texts('Fewer answers passed.')
  regressed!: string[];
}

@Schema('A setting of the call.')
class TextSettingDto {
  @Text('In the earlier eval.')
  before!: string;

  @Text('In this eval.')
  after!: string;

  @Flag('Whether they differ.')
  changed!: boolean;
}

@Schema('Names over all calls of a model, sorted.')
class NamesSettingDto {
  @Texts('In the earlier eval.')
  before!: string[];

  @Texts('In this eval.')
  after!: string[];

  @Flag('Whether they differ; false where one of the evals has none.')
  changed!: boolean;
}

@Schema("The parameters that were sent, under the vendor's names.")
class AppliedSettingDto {
  @SentParameters('In the earlier eval.')
  before!: Record<string, number | string>;

  @SentParameters('In this eval.')
  after!: Record<string, number | string>;

  @Flag('Whether they differ.')
  changed!: boolean;
}

@Schema('The rates that calls were priced at; null where the model did not answer.')
class PricesSettingDto {
  @Part(RatesDto, 'In the earlier eval.', { nullable: true })
  before!: RatesDto | null;

  @Part(RatesDto, 'In this eval.', { nullable: true })
  after!: RatesDto | null;

  @Flag('Whether they differ.')
  changed!: boolean;
}

@Schema('Why the mean cost of a call changed, in USD. The two add up to its change.')
class CostChangeDto {
  @Decimal('Because other numbers of tokens were used, at the prices of this eval.')
  by_tokens!: Money;

  @Decimal(
    'Because the prices changed, at the tokens of the earlier eval; also because the vendor stated another share of its list price, or another model answered.',
  )
  by_price!: Money;
}

@Schema("Fisher's exact test that the share is the same in both evals.")
class DriftTestDto {
  @Decimal('Probability of a change at least as large by luck alone.')
  p_value!: number;

  @Decimal("The same, adjusted by Holm's method for all tests of this answer.")
  p_adjusted!: number;

  @Flag('Whether p_adjusted is at most 0.05.')
  significant!: boolean;

  static from({ pValue, pAdjusted, significant }: Significance): DriftTestDto {
    return { p_value: pValue, p_adjusted: pAdjusted, significant };
  }
}

@Schema('What can be told from luck. Latency cannot: two evals are two moments.')
class DriftTestsDto {
  @Part(DriftTestDto, 'Of the calls that answered; null with too few.', { nullable: true })
  answered!: DriftTestDto | null;

  @Part(
    DriftTestDto,
    'Of the answers that passed all common checks, among those that could be decided; null with too few or without checks.',
    { nullable: true },
  )
  checks!: DriftTestDto | null;
}

@Schema('The changes of one model.')
class ModelDriftDto {
  @ModelId()
  model!: string;

  @Part(AnswerCountsDto, 'Calls that answered.')
  answered!: AnswerCountsDto;

  @Choice(
    ['same', 'equivalent', 'changed', null],
    'Whether the answers are the same texts, agree (as in the agreement of an eval), or at least one agrees with none of the other eval; null where the model did not answer.',
    { nullable: true },
  )
  output!: OutputChange | null;

  @Decimal('Mean similarity of pairs of answers, from 0 to 1.', { nullable: true })
  similarity!: number | null;

  @Part(NumberChangeDto, 'Median latency in milliseconds of the answers with text, or of all where none has any.')
  latency_ms!: Change<number>;

  @Part(NumberChangeDto, 'Mean cost of a call in USD, rounded to 12 decimals.')
  // Exact amounts, of which the document says no more than that they are numbers.
  cost_usd!: Change<Money>;

  @Part(NumberChangeDto, 'Mean input tokens of a call.')
  input_tokens!: Change<number>;

  @Part(NumberChangeDto, 'Mean output tokens of a call.')
  output_tokens!: Change<number>;

  @Part(CheckChangesDto, 'null when the evals have no check in common.', { nullable: true })
  checks!: CheckChanges | null;

  @Part(TextSettingDto, "The vendor's name for the model.")
  vendor_model!: TextSettingDto;

  @Part(
    NamesSettingDto,
    'The models that answered, as the vendor names them. `changed` means that the vendor changed the model: other names answer than before.',
  )
  answered_by!: NamesSettingDto;

  @Part(AppliedSettingDto, 'The parameters that were sent.')
  applied!: AppliedSettingDto;

  @Part(PricesSettingDto, 'The rates of the calls.')
  prices!: PricesSettingDto;

  @Part(CostChangeDto, 'null where the model did not answer.', { nullable: true })
  cost_change_usd!: CostChangeDto | null;

  @Part(
    DriftTestsDto,
    'null where no change, however large, could be told from luck; 4 calls of each eval are enough.',
    { nullable: true },
  )
  significant!: DriftTestsDto | null;

  @Text('What the tests found, or why there is none, in words.')
  because!: string;

  static from(drift: ModelDrift): ModelDriftDto {
    const {
      model,
      answered,
      output,
      similarity,
      latencyMs,
      cost,
      inputTokens,
      outputTokens,
      checks,
      vendorModel,
      answeredBy,
      applied,
      prices,
      costChange,
      significant,
      because,
    } = drift;
    return {
      model,
      answered,
      output,
      similarity,
      latency_ms: latencyMs,
      cost_usd: cost,
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      checks,
      vendor_model: vendorModel,
      answered_by: answeredBy,
      applied: { ...applied, before: sorted(applied.before), after: sorted(applied.after) },
      prices: { before: pricesOf(prices.before), after: pricesOf(prices.after), changed: prices.changed },
      cost_change_usd: costChange && { by_tokens: costChange.byTokens, by_price: costChange.byPrice },
      significant: significant && {
        answered: significant.answered && DriftTestDto.from(significant.answered),
        checks: significant.checks && DriftTestDto.from(significant.checks),
      },
      because,
    };
  }
}

@Schema('What changed from an earlier eval to this one.')
export class DriftDto {
  @Text('The later eval: the one in the path.')
  eval_id!: string;

  @Text('The earlier eval.')
  against!: string;

  @Texts(
    'Members of the request in which the evals differ, such as `options.temperature`; what changed may be due to them.',
    { example: [] },
  )
  request_changed!: string[];

  @Parts(ModelDriftDto, 'The models of both evals, in the order of this one.')
  models!: ModelDriftDto[];

  @Texts('IDs of the models that only the earlier eval compared.', { example: [] })
  only_before!: string[];

  @Texts('IDs of the models that only this eval compared.', { example: [] })
  only_after!: string[];

  static from({ evalId, against, requestChanged, models, onlyBefore, onlyAfter }: EvalDrift): DriftDto {
    return {
      eval_id: evalId,
      against,
      request_changed: requestChanged,
      models: models.map((model) => ModelDriftDto.from(model)),
      only_before: onlyBefore,
      only_after: onlyAfter,
    };
  }
}

/** In the order of names, because jsonb does not preserve another one. */
function sorted(applied: Record<string, number | string>): Record<string, number | string> {
  return Object.fromEntries(Object.entries(applied).sort());
}
