import { ChecksField, toChecks } from '../checks/read-checks';
import type { GivenCheck } from '../checks/types';
import { EFFORTS, type Effort } from '../../common/effort';
import { hasInput } from '../../common/fill-texts';
import { ApiError } from '../../common/errors';
import type { ResponseFormat } from '../../common/response-format';
import { MAX_AMOUNT_USD, Money } from '../../common/money';
import type { Turn } from '../../common/turn';
import { MAX_FILLED_PROMPT_CHARACTERS, REQUEST_LIMITS } from '../../platform/config/request-limits';
import {
  amount,
  choice,
  decimal,
  flag,
  listOf,
  MAX_MODEL_ARM_CHARACTERS,
  formatNumber,
  text,
  wholeNumber,
} from '../../platform/http/validation/field-kinds';
import { Field, ObjectField } from '../../platform/http/validation/field.decorators';
import { extraOptionsOf } from '../evals/extra-options';
import { TURNS, type TurnDto } from '../evals/turns.field';
import { DEFAULT_TEMPERATURE, type CompareSettings } from '../execution/adapt-parameters';
import type { CompareCommand } from '../execution/compare.types';
import { DEFAULT_MAX_TOKENS } from '../execution/limit-output';
import { filledLength } from '../execution/prompt';
import { ResponseFormatField } from './response-format.field';
import { ASYNC_SAMPLE_LIMITS, refuseTooManySamples, SAMPLE_LIMITS, type SampleLimits } from './sample-limits';
import { Schema } from '../../platform/http/answer.decorators';

const MAX_SYSTEM_CHARACTERS = 32_000;

/** The members of options that compares and experiments have. */
export const OPTION_FIELDS = {
  temperature: Field(
    decimal(0, 2),
    'Sampling temperature. Omitted or clamped, with a warning, for models that do not accept it.',
    { optional: true, default: DEFAULT_TEMPERATURE },
  ),
  maxTokens: Field(
    wholeNumber(1, REQUEST_LIMITS.MAX_OUTPUT_TOKENS),
    'Maximum output tokens per model; thought is a part of them, unless it gets room by `reasoning_tokens`.',
    { optional: true, default: DEFAULT_MAX_TOKENS },
  ),
  system: Field(
    text(MAX_SYSTEM_CHARACTERS),
    'System message: instructions that every model gets before the prompt. Counted and priced as input; {input} in it is not replaced.',
    { optional: true },
  ),
  history: Field(
    TURNS,
    'Earlier turns, before the prompt; {input} is replaced in them too. Vendors that refuse two turns of one role in a row get them joined, with a warning.',
    { optional: true },
  ),
  reasoningEffort: Field(
    choice(EFFORTS, 'ReasoningEffort'),
    'How much models think before they write; by default as vendors have it. A model without this effort gets the nearest, with a warning.',
    { optional: true },
  ),
  reasoningTokens: Field(
    wholeNumber(0, REQUEST_LIMITS.MAX_OUTPUT_TOKENS),
    'Room for thought beyond `max_tokens`, in tokens; vendors get the sum, and a model with a lower limit gets less room. If neither is set, models that think get the room of the catalog; if only `max_tokens` is set, none.',
    { optional: true },
  ),
  responseFormat: ResponseFormatField(
    'The form of answers: any JSON, or JSON of a schema. Models without it (`response_format` of GET /models) get it adapted or left out, with a warning; `applied.response_format` says what was sent. Only a `json` check looks at answers.',
  ),
  exactModel: Field(
    flag(),
    'Whether an answer that names another model is a failure (`model_substituted`), which costs nothing.',
    { optional: true, default: false },
  ),
};

@Schema('Options for every model of a compare.')
export class CompareOptions {
  @OPTION_FIELDS.temperature
  temperature?: number;

  @OPTION_FIELDS.maxTokens
  max_tokens?: number;

  @Field(
    amount(0, MAX_AMOUNT_USD, 12),
    'Reject the request with 402 `max_cost_exceeded`, before any vendor is called, if the eval could cost more than this with all of its samples (USD without margin, at most 12 decimals and 15 significant digits).',
    { optional: true },
  )
  max_cost_usd?: number;

  @Field(
    wholeNumber(1, ASYNC_SAMPLE_LIMITS.samples),
    `How often each model is called, one round of all models after the other: the eval has a result for each call. At most ${SAMPLE_LIMITS.samples} and ${SAMPLE_LIMITS.calls} calls in all, or ${ASYNC_SAMPLE_LIMITS.samples} and ${ASYNC_SAMPLE_LIMITS.calls} with \`Prefer: respond-async\`. More than 1 is never free.`,
    { optional: true, default: 1 },
  )
  samples?: number;

  @OPTION_FIELDS.system
  system?: string;

  @OPTION_FIELDS.history
  history?: TurnDto[];

  @OPTION_FIELDS.reasoningEffort
  reasoning_effort?: Effort;

  @OPTION_FIELDS.reasoningTokens
  reasoning_tokens?: number;

  @OPTION_FIELDS.responseFormat
  response_format?: ResponseFormat;

  @OPTION_FIELDS.exactModel
  exact_model?: boolean;

  @Field(
    flag(),
    'False to store no text: the answer, or its stream, is the only copy. Counts, cost and charge stay as those of an erased eval, and GET /evals/{id} answers 404. An Idempotency-Key then stands for the charge: repeating it answers `eval_erased`. Not with `Prefer: respond-async`.',
    { optional: true, default: true },
  )
  store?: boolean;
}

const IDEMPOTENCY_KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

@Schema('What to compare.')
export class CompareRequest {
  /** Advice for members that other APIs have. */
  static readonly hints: ReadonlyMap<string, string> = new Map([
    ['messages', 'prompt takes the last text, options.history earlier turns, and options.system a system message'],
    ['stream', 'POST /api/v1/compare streams with the header Accept: text/event-stream'],
  ]);

  @Field(
    text(REQUEST_LIMITS.MAX_PROMPT_CHARACTERS),
    'Prompt sent to each model. It may contain the placeholder {input}, which is replaced by the input.',
  )
  prompt!: string;

  @Field(
    listOf(text(MAX_MODEL_ARM_CHARACTERS), { of: 'model ids', min: 1, max: REQUEST_LIMITS.MAX_MODELS, isUnique: true }),
    'Model IDs to compare; valid IDs come from GET /api/v1/models. An ID may name one of the efforts of its model, as in `gpt-6.2-sol@low`, which holds before `reasoning_effort`.',
  )
  models!: string[];

  @Field(
    text(REQUEST_LIMITS.MAX_INPUT_CHARACTERS, { canBeBlank: true }),
    `Replaces every {input} in the prompt and in turns, or is appended to the prompt when there is none. The filled prompt may have up to ${formatNumber(MAX_FILLED_PROMPT_CHARACTERS)} characters.`,
    { optional: true },
  )
  input?: string;

  @ObjectField(CompareOptions, 'Options for every model.', { optional: true })
  options?: CompareOptions;

  @ChecksField(
    'What a good answer is. Every result is checked before the eval is stored; `include=checks` shows what came of it. {input} in their texts is replaced by the input, as POST /checks does. Up to 65,536 characters as JSON, also with the input.',
    { optional: true },
  )
  checks?: GivenCheck[];

  /**
   * Converts the body to a command with defaults filled in. @throws ApiError invalid_request for a malformed
   * Idempotency-Key, a prompt that is too long once filled, or too many samples
   */
  toCommand(idempotencyKey?: string, limits: SampleLimits = SAMPLE_LIMITS): CompareCommand {
    const { options = new CompareOptions() } = this;
    const { samples = 1, store: isStored, max_cost_usd: maxCost } = options;
    refuseTooLong(this.prompt, this.input, options.history);
    refuseTooManySamples(samples, this.models.length, limits);
    refuseMalformedKey(idempotencyKey);
    if (isStored === false) refuseInBackground(limits);
    return {
      idempotencyKey,
      maxCost: maxCost === undefined ? undefined : Money.fromNumber(maxCost),
      prompt: this.prompt,
      input: this.input,
      models: this.models,
      isStored,
      samples,
      checks: toChecks(this.checks ?? []),
      options: settingsOf(options),
    };
  }
}

/** The settings of a command, defaults filled in. */
export function settingsOf(options: Omit<CompareOptions, 'max_cost_usd' | 'samples' | 'store'>): CompareSettings {
  const { temperature, max_tokens: maxTokens } = options;
  return {
    temperature: temperature ?? DEFAULT_TEMPERATURE,
    isTemperatureGiven: temperature !== undefined,
    maxTokens: maxTokens ?? DEFAULT_MAX_TOKENS,
    isMaxTokensGiven: maxTokens !== undefined,
    extra: extraOptionsOf(options),
  };
}

/** @throws ApiError invalid_request for a malformed Idempotency-Key */
export function refuseMalformedKey(idempotencyKey: string | undefined): void {
  if (idempotencyKey === undefined || IDEMPOTENCY_KEY.test(idempotencyKey)) return;
  throw new ApiError('invalid_request', {
    message: 'Idempotency-Key must be 1 to 255 visible ASCII characters.',
    param: 'Idempotency-Key',
  });
}

function refuseInBackground(limits: SampleLimits): void {
  if (limits !== ASYNC_SAMPLE_LIMITS) return;
  throw new ApiError('invalid_request', {
    message: 'options.store must not be false with Prefer: respond-async: the eval would be read from the database.',
    param: 'options.store',
  });
}

/** Computes the lengths without filling the texts, so that oversized ones are never built. */
function refuseTooLong(prompt: string, input: string | undefined, history: readonly Turn[] | undefined): void {
  const turns = (history ?? []).reduce((sum, { content }) => sum + filledLength(content, input, true).characters, 0);
  if (turns > MAX_FILLED_PROMPT_CHARACTERS)
    throw new ApiError('invalid_request', {
      message: `With {input} replaced, the turns would be ${formatNumber(turns)} characters long; the maximum is ${formatNumber(MAX_FILLED_PROMPT_CHARACTERS)}.`,
      param: 'options.history',
    });
  const { characters, occurrences } = filledLength(prompt, input, history && hasInput(history));
  if (characters <= MAX_FILLED_PROMPT_CHARACTERS) return;
  const how =
    occurrences === 0
      ? 'the input appended'
      : occurrences === 1
        ? '{input} replaced'
        : `{input} replaced ${formatNumber(occurrences)} times`;
  throw new ApiError('invalid_request', {
    message: `With ${how}, the prompt would be ${formatNumber(characters)} characters long; the maximum is ${formatNumber(MAX_FILLED_PROMPT_CHARACTERS)}.`,
    param: 'prompt',
  });
}
