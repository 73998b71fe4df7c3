import {
  dateTime,
  flag,
  MAX_MODEL_ARM_CHARACTERS,
  text,
  withProblem,
} from '../../platform/http/validation/field-kinds';
import { parseDateTime } from '../../platform/http/validation/date-time';
import { Field, QueryField } from '../../platform/http/validation/field.decorators';
import type { JudgmentInclusions } from '../../platform/http/include.dto';
import { wilson, type Interval } from '../statistics/intervals';
import { roundedInterval, sixDigits } from '../statistics/rounding';
import type { EvalJudgment, OwnPreference, PairCount, PreferenceCounts } from './judgments.repository';
import {
  ConfidenceInterval,
  DateTime,
  Decimal,
  DecimalOrNull,
  Flag,
  Integer,
  Part,
  Parts,
  Schema,
  Text,
  Texts,
} from '../../platform/http/answer.decorators';

const MAX_REASON_CHARACTERS = 500;
const MAX_NOTE_CHARACTERS = 1000;
const MAX_ASKED_MODELS = 8;

@Schema('The choice among the answers of an eval.')
export class PreferenceRequest {
  @Field(
    text(MAX_MODEL_ARM_CHARACTERS),
    'The ID of a model of the eval that answered, as in its `models`; or `tie`, when the answers are equally good; or `none_good`.',
    { example: 'sim-sage' },
  )
  preferred!: string;

  @Field(flag(), 'Whether the names of the models were hidden until the choice.', { optional: true, default: false })
  blind?: boolean;

  @Field(text(MAX_REASON_CHARACTERS), 'The reason, in words.', { optional: true })
  reason?: string;
}

@Schema('The choice of one key among the answers of an eval.')
export class PreferenceDto {
  @Text('A model ID, `tie` or `none_good`.', { example: 'sim-sage' })
  preferred!: string;

  @Flag('Whether the names of the models were hidden until the choice.')
  blind!: boolean;

  @Text('The reason; null without one.', { nullable: true })
  reason!: string | null;

  @DateTime('When it was chosen (UTC).')
  created_at!: string;

  static from({ preferred, blind, reason, createdAt }: OwnPreference): PreferenceDto {
    return { preferred, blind, reason, created_at: createdAt.toISOString() };
  }
}

@Schema('The note and the star of an eval; an absent one is left unchanged.')
export class AnnotationRequest {
  @Field(text(MAX_NOTE_CHARACTERS), 'A note on the eval; null removes it.', { optional: true, nullable: true })
  note?: string | null;

  @Field(flag(), 'Whether the eval has a star.', { optional: true })
  starred?: boolean;
}

@Schema('The note and the star of an eval, the same for all keys of the user.')
export class AnnotationDto {
  @Text('The note; null without one.', { nullable: true })
  note!: string | null;

  @Flag('Whether it has a star.')
  starred!: boolean;
}

/** The members of an eval, or of an eval in a list, for what people said about it. */
export const JUDGMENT_MEMBERS = {
  preference: Part(PreferenceDto, 'The preference of the asking key; only with include=preference.', {
    optional: true,
    nullable: true,
  }),
  note: Text('The note; only with include=note.', { optional: true, nullable: true }),
  starred: Flag('Whether it has a star; only with include=note.', { optional: true }),
};

/** The requested parts of a judgment. */
export function judgmentParts(
  judgment: EvalJudgment | undefined,
  include: JudgmentInclusions,
): { preference?: PreferenceDto | null; note?: string | null; starred?: boolean } {
  const preference = judgment?.preference ?? null;
  return {
    ...(include.preference === true && { preference: preference && PreferenceDto.from(preference) }),
    ...(include.note === true && { note: judgment?.note ?? null, starred: judgment?.starred ?? false }),
  };
}

const rate = (description: string) => DecimalOrNull(description, 0.7);
const interval = ConfidenceInterval(
  'Interval of 95 % of the rate by Wilson; null where there is no rate.',
  [0.481, 0.855],
);

@Schema('The preferences between the two models of a pair.')
class PairCountsDto {
  @Integer('For the first model.', { example: 14 })
  a!: number;

  @Integer('For the second model.', { example: 5 })
  b!: number;

  @Integer('Ties.', { example: 1 })
  ties!: number;
}

@Schema('The preferences between two models, over evals in which both answered.')
class PairPreferenceDto {
  @Texts('The two models; the first was preferred more often.', {
    minItems: 2,
    maxItems: 2,
    example: ['sim-sage', 'sim-swift'],
  })
  models!: [a: string, b: string];

  @Part(PairCountsDto, 'The counts, by position.')
  preferred!: PairCountsDto;

  @rate(
    'The share of `evals` in which the first model was preferred: a / (a + b + ties). A tie counts for neither model.',
  )
  rate!: number | null;

  @interval
  ci!: Interval | null;

  @Integer('Preferences that judge between the two: a + b + ties.', { example: 20 })
  evals!: number;

  @Integer('Preferences for another model or for none, which say nothing about the two and are not in `evals`.', {
    example: 2,
  })
  neither!: number;

  static from(pair: PairCount): PairPreferenceDto {
    const [[first, a], [second, b]] =
      pair.preferredB > pair.preferredA
        ? ([
            [pair.b, pair.preferredB],
            [pair.a, pair.preferredA],
          ] as const)
        : ([
            [pair.a, pair.preferredA],
            [pair.b, pair.preferredB],
          ] as const);
    const evals = a + b + pair.ties;
    return {
      models: [first, second],
      preferred: { a, b, ties: pair.ties },
      ...rateOf(a, evals),
      evals,
      neither: pair.neither,
    };
  }
}

@Schema('How often a model was preferred, whatever the other models of the eval were.')
class ModelPreferenceDto {
  @Text('Model ID.', { example: 'sim-sage' })
  model!: string;

  @Integer('How often it was preferred.', { example: 14 })
  preferred!: number;

  @Integer('Preferences in evals in which it and another model answered, ties and `none_good` included.', {
    example: 22,
  })
  evals!: number;

  @rate('preferred / evals. Rates of two models are comparable only in a pair.')
  rate!: number | null;

  @interval
  ci!: Interval | null;
}

@Schema(
  'Counts of preferences. A preference counts once for each key and eval, and only where at least two models answered.',
)
export class PreferencesDto {
  @Parts(PairPreferenceDto, 'By preferences where both answered, most first; at most 100.')
  pairs!: PairPreferenceDto[];

  @Parts(ModelPreferenceDto, 'By evals, most first; at most 100.')
  models!: ModelPreferenceDto[];

  @Integer('Preferences counted.', { example: 22 })
  evals!: number;

  @Decimal('Share of blind preferences; null without a preference.', { nullable: true, example: 0.5 })
  blind_share!: number | null;

  static from({ pairs, models, evals, blind }: PreferenceCounts): PreferencesDto {
    return {
      pairs: pairs.map((pair) => PairPreferenceDto.from(pair)),
      models: models.map((counts) => ({ ...counts, ...rateOf(counts.preferred, counts.evals) })),
      evals,
      blind_share: evals === 0 ? null : sixDigits(blind / evals),
    };
  }
}

/** Query of GET /preferences. */
export class PreferencesQuery {
  @QueryField(
    withProblem(text((MAX_MODEL_ARM_CHARACTERS + 1) * MAX_ASKED_MODELS), modelsProblem),
    `Only these models and their pairs: 1 to ${MAX_ASKED_MODELS} IDs, separated by commas.`,
  )
  models?: string;

  @QueryField(dateTime(), 'Only preferences since this time.')
  since?: string;

  /** The query as values. */
  toQuestion(): { models: string[] | undefined; since: Date | undefined } {
    return { models: this.models?.split(','), since: this.since === undefined ? undefined : parseDateTime(this.since) };
  }
}

function modelsProblem(list: string): string | undefined {
  const ids = list.split(',');
  return ids.length > MAX_ASKED_MODELS || ids.some((id) => id.trim() === '')
    ? ` must be 1 to ${MAX_ASKED_MODELS} model IDs separated by commas`
    : undefined;
}

function rateOf(k: number, n: number): { rate: number | null; ci: Interval | null } {
  return { rate: n === 0 ? null : sixDigits(k / n), ci: roundedInterval(wilson(k, n)) };
}
