import { ApiSchema } from '@nestjs/swagger';
import { MAX_AMOUNT_USD } from '../common/money';
import { ApiExtends } from '../http/api-extends.decorator';
import { ApiOneOf } from '../http/api-one-of.decorator';
import { amount, choice, decimal, flag, listOf, notZero, object, pattern, text, wholeNumber, type FieldKind } from '../http/validation/field-kinds';
import { Field } from '../http/validation/field.decorators';
import { CHECK_DEFAULTS as DEFAULTS, CHECK_LIMITS as LIMITS, type Check } from './check';
import { boundsProblem } from './pattern-bounds';
import { schemaProblem } from './schema-bounds';

const KIND = 'What kind of check it is.';
const CASE = 'Whether upper and lower case count as the same.';

/** The common members of all checks. */
@ApiSchema({ name: 'CheckFields', description: 'The common members of all checks.' })
class CheckFieldsDto {
  @Field(pattern(/^[a-z0-9_-]{1,40}$/, '1 to 40 of the characters a to z, 0 to 9, _ and -'), { optional: true, description: 'Unique among the checks; by default the type and the position from 1, such as `contains-1`.', example: 'mentions-paris' })
  name?: string;

  @Field(notZero(decimal(0, LIMITS.MAX_WEIGHT)), { optional: true, default: DEFAULTS.weight, description: 'How much it counts in the score of a result; above 0.' })
  weight?: number;

  @Field(flag(), { optional: true, default: DEFAULTS.not, description: 'Turns pass into fail and fail into pass.' })
  not?: boolean;
}

@ApiSchema({ name: 'EqualsCheck', description: 'Passes when the texts are equal.' })
@ApiExtends(CheckFieldsDto)
class EqualsCheckDto extends CheckFieldsDto {
  @Field(choice(['equals']), { description: KIND })
  type!: 'equals';

  @Field(text(LIMITS.MAX_EQUAL_CHARACTERS, { canBeBlank: true }), { description: 'The text that is expected.', example: 'Paris' })
  value!: string;

  @Field(flag(), { optional: true, default: DEFAULTS.equals.ignore_case, description: CASE })
  ignore_case?: boolean;

  @Field(flag(), { optional: true, default: DEFAULTS.equals.trim, description: 'Whether white space at both ends is left out.' })
  trim?: boolean;
}

@ApiSchema({ name: 'ContainsCheck', description: 'Passes when all, or any, of the texts occur.' })
@ApiExtends(CheckFieldsDto)
class ContainsCheckDto extends CheckFieldsDto {
  @Field(choice(['contains']), { description: KIND })
  type!: 'contains';

  @Field(listOf(text(LIMITS.MAX_VALUE_CHARACTERS), { of: 'texts', min: 1, max: LIMITS.MAX_VALUES }), { description: 'The texts that are looked for.', example: ['Paris'] })
  values!: string[];

  @Field(choice(['all', 'any']), { optional: true, default: DEFAULTS.contains.mode, description: 'Whether all of them have to occur.' })
  mode?: 'all' | 'any';

  @Field(flag(), { optional: true, default: DEFAULTS.contains.ignore_case, description: CASE })
  ignore_case?: boolean;
}

@ApiSchema({ name: 'RegexCheck', description: 'Passes when a pattern is found.' })
@ApiExtends(CheckFieldsDto)
class RegexCheckDto extends CheckFieldsDto {
  @Field(choice(['regex']), { description: KIND })
  type!: 'regex';

  @Field(withProblem(text(LIMITS.MAX_PATTERN_CHARACTERS), boundsProblem), { description: 'A pattern of RE2: no look-around, no back-references; the bounds in its braces add up to at most 1,000, and it compiles to at most 2,000 instructions.', example: '\\bParis\\b' })
  pattern!: string;

  @Field(pattern(/^(?!.*(.).*\1)[ims]{0,3}$/, 'letters of i, m and s, each at most once'), { optional: true, default: DEFAULTS.regex.flags, description: '`i` ignores case, with `m` ^ and $ match at each line, with `s` . matches line ends.' })
  flags?: string;
}

@ApiSchema({ name: 'JsonCheck', description: 'Passes when the text is JSON, and is as the schema has it.' })
@ApiExtends(CheckFieldsDto)
class JsonCheckDto extends CheckFieldsDto {
  @Field(choice(['json']), { description: KIND })
  type!: 'json';

  @Field(withProblem({ ...object(), schema: { type: 'object', additionalProperties: true } }, schemaProblem), { optional: true, description: 'JSON Schema of draft 2020-12 without references to other documents; at most 32,768 characters and 20 levels. Its patterns are those of RE2, its formats are not looked at.', example: { type: 'object', required: ['city'] } })
  schema?: object;

  @Field(flag(), { optional: true, default: DEFAULTS.json.allow_fence, description: 'Whether one code fence around the JSON is left out.' })
  allow_fence?: boolean;

  @Field(flag(), { optional: true, default: false, description: 'Whether the first JSON is looked for in a text with prose around it: the content of a code fence, or else an object or an array.' })
  find?: boolean;
}

@ApiSchema({ name: 'NumberCheck', description: 'Passes when the number in the text is within the tolerance. `1,234.5`, `1e3`, `-2` and `12 %` are read.' })
@ApiExtends(CheckFieldsDto)
class NumberCheckDto extends CheckFieldsDto {
  @Field(choice(['number']), { description: KIND })
  type!: 'number';

  @Field(decimal(-LIMITS.MAX_NUMBER, LIMITS.MAX_NUMBER), { description: 'The number that is expected.', example: 42 })
  value!: number;

  @Field(decimal(0, LIMITS.MAX_NUMBER), { optional: true, default: DEFAULTS.number.tolerance, description: 'How far from it the number may be.' })
  tolerance?: number;

  @Field(choice(['last', 'first', 'only']), { optional: true, default: DEFAULTS.number.which, description: 'Which number of the text counts; `only` fails when there are several.' })
  which?: 'last' | 'first' | 'only';
}

@ApiSchema({ name: 'LengthCheck', description: 'Passes when the text is neither shorter nor longer; `min` or `max` is needed.' })
@ApiExtends(CheckFieldsDto)
class LengthCheckDto extends CheckFieldsDto {
  @Field(choice(['length']), { description: KIND })
  type!: 'length';

  @Field(wholeNumber(0, LIMITS.MAX_LENGTH), { optional: true, description: 'The least length.' })
  min?: number;

  @Field(wholeNumber(0, LIMITS.MAX_LENGTH), { optional: true, description: 'The greatest length.', example: 500 })
  max?: number;

  @Field(choice(['characters', 'words', 'tokens']), { optional: true, default: DEFAULTS.length.unit, description: 'What is counted; tokens are those the model was billed for, without reasoning.' })
  unit?: 'characters' | 'words' | 'tokens';
}

@ApiSchema({ name: 'SimilarityCheck', description: 'Passes when the similarity, which is also the score, is at least `min`.' })
@ApiExtends(CheckFieldsDto)
class SimilarityCheckDto extends CheckFieldsDto {
  @Field(choice(['similarity']), { description: KIND })
  type!: 'similarity';

  @Field(text(LIMITS.MAX_SIMILAR_CHARACTERS), { description: 'The text to compare with.', example: 'The capital of France is Paris.' })
  value!: string;

  @Field(decimal(0, 1), { description: 'The least similarity.', example: 0.8 })
  min!: number;

  @Field(choice(['levenshtein', 'token_f1']), { optional: true, default: DEFAULTS.similarity.metric, description: 'By edits of characters, or by the words that both share.' })
  metric?: 'levenshtein' | 'token_f1';
}

@ApiSchema({ name: 'LatencyCheck', description: 'Passes when the answer was no slower.' })
@ApiExtends(CheckFieldsDto)
class LatencyCheckDto extends CheckFieldsDto {
  @Field(choice(['latency']), { description: KIND })
  type!: 'latency';

  @Field(wholeNumber(0, LIMITS.MAX_LATENCY_MS), { description: 'Milliseconds.', example: 2000 })
  max_ms!: number;

  @Field(choice(['total', 'first_token']), { optional: true, default: DEFAULTS.latency.of, description: 'Of the whole answer, or of its first token.' })
  of?: 'total' | 'first_token';
}

@ApiSchema({ name: 'CostCheck', description: 'Passes when the call cost no more.' })
@ApiExtends(CheckFieldsDto)
class CostCheckDto extends CheckFieldsDto {
  @Field(choice(['cost']), { description: KIND })
  type!: 'cost';

  @Field(amount(0, MAX_AMOUNT_USD, 12), { description: 'USD without margin, at most 12 decimals and 15 significant digits.', example: 0.01 })
  max_usd!: number;
}

@ApiSchema({ name: 'FinishedCheck', description: 'Passes when the model ended by itself and the text is not blank.' })
@ApiExtends(CheckFieldsDto)
class FinishedCheckDto extends CheckFieldsDto {
  @Field(choice(['finished']), { description: KIND })
  type!: 'finished';
}

/** The class of each type of check. */
export const CHECK_CLASSES = {
  equals: EqualsCheckDto, contains: ContainsCheckDto, regex: RegexCheckDto, json: JsonCheckDto, number: NumberCheckDto,
  length: LengthCheckDto, similarity: SimilarityCheckDto, latency: LatencyCheckDto, cost: CostCheckDto, finished: FinishedCheckDto,
} as const satisfies Record<Check['type'], unknown>;

/** A check in a request, with or without the members that have defaults. */
export type GivenCheck = InstanceType<(typeof CHECK_CLASSES)[Check['type']]>;

/** Any check. */
@ApiOneOf({ name: 'Check', description: 'What a good answer is; told apart by `type`.', by: 'type', members: CHECK_CLASSES })
export class CheckDto {}

function withProblem<T>(kind: FieldKind, problemOf: (value: T) => string | undefined): FieldKind {
  return { ...kind, problemOf: (value: never) => kind.problemOf?.(value) ?? problemOf(value) };
}
