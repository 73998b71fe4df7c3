import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsInt, IsNumber, IsObject, IsString, Max, MaxLength, Min, ValidateNested } from 'class-validator';
import { LIMITS } from '../common/config';
import { ApiError } from '../common/errors';
import { dollars, MOST_DOLLARS } from '../common/dollars';
import { IsDollars, IsNotBlank, IsStorableText, MayBeAbsent } from '../common/validators';
import type { CompareOrder } from './settlement.service';

const DEFAULT_TEMPERATURE = 0.7;
const DEFAULT_MAX_TOKENS = 500;
const LONGEST_MODEL_ID = 100;

/** How the models shall answer. */
export class CompareOptions {
  @ApiPropertyOptional({ type: 'number', minimum: 0, maximum: 2, default: DEFAULT_TEMPERATURE, description: 'Sampling temperature. Left out or clamped, with a warning, where a model does not take it.' })
  @MayBeAbsent()
  @IsNumber({ allowNaN: false, allowInfinity: false }, { message: 'temperature must be a number from 0 to 2' })
  @Min(0, { message: 'temperature must be a number from 0 to 2' })
  @Max(2, { message: 'temperature must be a number from 0 to 2' })
  temperature?: number;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: LIMITS.MAX_OUTPUT_TOKENS, default: DEFAULT_MAX_TOKENS, description: 'Maximum output tokens per model.' })
  @MayBeAbsent()
  @IsInt({ message: `max_tokens must be a whole number from 1 to ${LIMITS.MAX_OUTPUT_TOKENS}` })
  @Min(1, { message: `max_tokens must be a whole number from 1 to ${LIMITS.MAX_OUTPUT_TOKENS}` })
  @Max(LIMITS.MAX_OUTPUT_TOKENS, { message: `max_tokens must be a whole number from 1 to ${LIMITS.MAX_OUTPUT_TOKENS}` })
  max_tokens?: number;

  @ApiPropertyOptional({ type: 'number', minimum: 0, maximum: MOST_DOLLARS, description: 'Refuse with 402 `max_cost_exceeded`, before any vendor is called, when the eval could cost more than this (USD, at most 12 decimals, margin not counted).', example: 0.05 })
  @MayBeAbsent()
  @IsDollars(12)
  @Min(0)
  @Max(MOST_DOLLARS)
  max_cost_usd?: number;
}

const IDEMPOTENCY_KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

/** Body of POST /compare. */
export class CompareRequest {
  @ApiProperty({ minLength: 1, maxLength: LIMITS.MAX_PROMPT_CHARACTERS, pattern: '\\S', description: 'Prompt sent to each model. It may contain the token {input} where the input shall stand.', example: 'Say {input} in French.' })
  @IsString()
  @IsNotBlank()
  @MaxLength(LIMITS.MAX_PROMPT_CHARACTERS)
  @IsStorableText()
  prompt!: string;

  @ApiProperty({ type: 'array', items: { type: 'string', minLength: 1, maxLength: LONGEST_MODEL_ID }, minItems: 1, maxItems: LIMITS.MAX_MODELS, uniqueItems: true, description: 'Model IDs to compare; valid IDs come from GET /api/v1/models.', example: ['sim-swift', 'sim-quill'] })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(LIMITS.MAX_MODELS)
  @IsString({ each: true })
  @MaxLength(LONGEST_MODEL_ID, { each: true })
  @ArrayUnique({ message: 'models must not name a model twice' })
  models!: string[];

  @ApiPropertyOptional({ maxLength: LIMITS.MAX_INPUT_CHARACTERS, description: 'Put in place of every {input} of the prompt, or after it when there is none.', example: 'good morning' })
  @MayBeAbsent()
  @IsString()
  @MaxLength(LIMITS.MAX_INPUT_CHARACTERS)
  @IsStorableText()
  input?: string;

  @ApiPropertyOptional({ type: CompareOptions, description: 'How the models shall answer.' })
  @MayBeAbsent()
  @IsObject()
  @ValidateNested()
  @Type(() => CompareOptions)
  options?: CompareOptions;

  /** The order with its defaults filled in. @throws ApiError invalid_request for a malformed Idempotency-Key */
  toOrder(idempotencyKey?: string): CompareOrder {
    if (idempotencyKey !== undefined && !IDEMPOTENCY_KEY.test(idempotencyKey)) {
      throw new ApiError('invalid_request', { message: 'Idempotency-Key must be 1 to 255 visible ASCII characters.', param: 'Idempotency-Key' });
    }
    const maxCost = this.options?.max_cost_usd;
    return {
      idempotencyKey,
      maxCost: maxCost === undefined ? undefined : dollars(maxCost),
      prompt: this.prompt,
      input: this.input,
      models: this.models,
      options: {
        temperature: this.options?.temperature ?? DEFAULT_TEMPERATURE,
        maxTokens: this.options?.max_tokens ?? DEFAULT_MAX_TOKENS,
      },
    };
  }
}
