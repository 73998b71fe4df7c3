import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { Money } from '../../common/money';
import { RatesDto } from '../../platform/http/rates.dto';
import { recordId } from '../../platform/http/validation/field-kinds';
import { QueryField } from '../../platform/http/validation/field.decorators';
import type { Change, CheckChanges } from './drift';
import type { OutputChange } from '../statistics/answer-pairs';
import type { Significance } from './drift-significance';
import type { EvalDrift, ModelDrift } from './drift.service';
import { APPLIED_VALUE, pricesOf } from '../evals/result.dto';

/** Query of GET /evals/:id/drift. */
export class DriftQuery {
  @QueryField(recordId('eval', 'an eval id'), {
    description: 'The earlier eval to compare with; by default the one that this eval re-ran.',
  })
  against?: string;
}

@ApiSchema({
  name: 'NumberChange',
  description:
    'A figure before and after; null where no answer counts: answers without text count only if neither eval has others.',
})
class NumberChangeDto {
  @ApiProperty({ type: 'number', nullable: true, description: 'In the earlier eval.' })
  before!: number | null;

  @ApiProperty({ type: 'number', nullable: true, description: 'In this eval.' })
  after!: number | null;

  @ApiProperty({ type: 'number', nullable: true, description: 'After minus before.' })
  change!: number | null;
}

/** The same with exact amounts, of which the document says no more than that they are numbers. */
type MoneyChangeDto = Change<Money>;

@ApiSchema({ name: 'AnswerCounts', description: 'How many calls of a model answered.' })
class AnswerCountsDto {
  @ApiProperty({ type: 'integer', description: 'In the earlier eval.' })
  before!: number;

  @ApiProperty({ type: 'integer', description: 'In this eval.' })
  after!: number;
}

@ApiSchema({
  name: 'CheckChanges',
  description:
    'Names of the checks that another share of the answers passed than before; only checks that both evals define alike.',
})
class CheckChangesDto implements CheckChanges {
  @ApiProperty({ type: [String], description: 'More answers passed.' })
  improved!: string[];

  @ApiProperty({ type: [String], description: 'Fewer answers passed.' })
  regressed!: string[];
}

@ApiSchema({ name: 'TextSetting', description: 'A setting of the call.' })
class TextSettingDto {
  @ApiProperty({ description: 'In the earlier eval.' })
  before!: string;

  @ApiProperty({ description: 'In this eval.' })
  after!: string;

  @ApiProperty({ description: 'Whether they differ.' })
  changed!: boolean;
}

@ApiSchema({ name: 'NamesSetting', description: 'Names over all calls of a model, sorted.' })
class NamesSettingDto {
  @ApiProperty({ type: [String], description: 'In the earlier eval.' })
  before!: string[];

  @ApiProperty({ type: [String], description: 'In this eval.' })
  after!: string[];

  @ApiProperty({ description: 'Whether they differ; false where one of the evals has none.' })
  changed!: boolean;
}

@ApiSchema({ name: 'AppliedSetting', description: "The parameters that were sent, under the vendor's names." })
class AppliedSettingDto {
  @ApiProperty({ type: 'object', additionalProperties: APPLIED_VALUE, description: 'In the earlier eval.' })
  before!: Record<string, number | string>;

  @ApiProperty({ type: 'object', additionalProperties: APPLIED_VALUE, description: 'In this eval.' })
  after!: Record<string, number | string>;

  @ApiProperty({ description: 'Whether they differ.' })
  changed!: boolean;
}

@ApiSchema({
  name: 'PricesSetting',
  description: 'The rates that calls were priced at; null where the model did not answer.',
})
class PricesSettingDto {
  @ApiProperty({ type: RatesDto, nullable: true, description: 'In the earlier eval.' })
  before!: RatesDto | null;

  @ApiProperty({ type: RatesDto, nullable: true, description: 'In this eval.' })
  after!: RatesDto | null;

  @ApiProperty({ description: 'Whether they differ.' })
  changed!: boolean;
}

@ApiSchema({
  name: 'CostChange',
  description: 'Why the mean cost of a call changed, in USD. The two add up to its change.',
})
class CostChangeDto {
  @ApiProperty({
    type: 'number',
    description: 'Because other numbers of tokens were used, at the prices of this eval.',
  })
  by_tokens!: Money;

  @ApiProperty({
    type: 'number',
    description:
      'Because the prices changed, at the tokens of the earlier eval; also because the vendor stated another share of its list price, or another model answered.',
  })
  by_price!: Money;
}

@ApiSchema({ name: 'DriftTest', description: "Fisher's exact test that the share is the same in both evals." })
class DriftTestDto {
  @ApiProperty({ type: 'number', description: 'Probability of a change at least as large by luck alone.' })
  p_value!: number;

  @ApiProperty({ type: 'number', description: "The same, adjusted by Holm's method for all tests of this answer." })
  p_adjusted!: number;

  @ApiProperty({ description: 'Whether p_adjusted is at most 0.05.' })
  significant!: boolean;

  static from({ pValue, pAdjusted, significant }: Significance): DriftTestDto {
    return { p_value: pValue, p_adjusted: pAdjusted, significant };
  }
}

@ApiSchema({
  name: 'DriftTests',
  description: 'What can be told from luck. Latency cannot: two evals are two moments.',
})
class DriftTestsDto {
  @ApiProperty({ type: DriftTestDto, nullable: true, description: 'Of the calls that answered; null with too few.' })
  answered!: DriftTestDto | null;

  @ApiProperty({
    type: DriftTestDto,
    nullable: true,
    description:
      'Of the answers that passed all common checks, among those that could be decided; null with too few or without checks.',
  })
  checks!: DriftTestDto | null;
}

/** The changes of one model. */
@ApiSchema({ name: 'ModelDrift', description: 'The changes of one model.' })
class ModelDriftDto {
  @ApiProperty({ description: 'Model ID.', example: 'sim-swift' })
  model!: string;

  @ApiProperty({ type: AnswerCountsDto, description: 'Calls that answered.' })
  answered!: AnswerCountsDto;

  @ApiProperty({
    type: 'string',
    enum: ['same', 'equivalent', 'changed', null],
    nullable: true,
    description:
      'Whether the answers are the same texts, agree (as in the agreement of an eval), or at least one agrees with none of the other eval; null where the model did not answer.',
  })
  output!: OutputChange | null;

  @ApiProperty({ type: 'number', nullable: true, description: 'Mean similarity of pairs of answers, from 0 to 1.' })
  similarity!: number | null;

  @ApiProperty({
    type: NumberChangeDto,
    description: 'Median latency in milliseconds of the answers with text, or of all where none has any.',
  })
  latency_ms!: Change<number>;

  @ApiProperty({ type: NumberChangeDto, description: 'Mean cost of a call in USD, rounded to 12 decimals.' })
  cost_usd!: MoneyChangeDto;

  @ApiProperty({ type: NumberChangeDto, description: 'Mean input tokens of a call.' })
  input_tokens!: Change<number>;

  @ApiProperty({ type: NumberChangeDto, description: 'Mean output tokens of a call.' })
  output_tokens!: Change<number>;

  @ApiProperty({ type: CheckChangesDto, nullable: true, description: 'null when the evals have no check in common.' })
  checks!: CheckChanges | null;

  @ApiProperty({ type: TextSettingDto, description: "The vendor's name for the model." })
  vendor_model!: TextSettingDto;

  @ApiProperty({
    type: NamesSettingDto,
    description:
      'The models that answered, as the vendor names them. `changed` means that the vendor changed the model: other names answer than before.',
  })
  answered_by!: NamesSettingDto;

  @ApiProperty({ type: AppliedSettingDto, description: 'The parameters that were sent.' })
  applied!: AppliedSettingDto;

  @ApiProperty({ type: PricesSettingDto, description: 'The rates of the calls.' })
  prices!: PricesSettingDto;

  @ApiProperty({ type: CostChangeDto, nullable: true, description: 'null where the model did not answer.' })
  cost_change_usd!: CostChangeDto | null;

  @ApiProperty({
    type: DriftTestsDto,
    nullable: true,
    description: 'null where no change, however large, could be told from luck; 4 calls of each eval are enough.',
  })
  significant!: DriftTestsDto | null;

  @ApiProperty({ description: 'What the tests found, or why there is none, in words.' })
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

/** Response body of GET /evals/{id}/drift. */
@ApiSchema({ name: 'Drift', description: 'What changed from an earlier eval to this one.' })
export class DriftDto {
  @ApiProperty({ description: 'The later eval: the one in the path.' })
  eval_id!: string;

  @ApiProperty({ description: 'The earlier eval.' })
  against!: string;

  @ApiProperty({
    type: [String],
    description:
      'Members of the request in which the evals differ, such as `options.temperature`; what changed may be due to them.',
    example: [],
  })
  request_changed!: string[];

  @ApiProperty({ type: [ModelDriftDto], description: 'The models of both evals, in the order of this one.' })
  models!: ModelDriftDto[];

  @ApiProperty({ type: [String], description: 'IDs of the models that only the earlier eval compared.', example: [] })
  only_before!: string[];

  @ApiProperty({ type: [String], description: 'IDs of the models that only this eval compared.', example: [] })
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
