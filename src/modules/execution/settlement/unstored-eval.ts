import { z } from 'zod';
import type { ReservationHandle } from '../../billing/reservation.types';
import type { Check } from '../../checks/types';
import type { Verdict } from '../../checks/verdict';
import { Money } from '../../../common/money';
import { Month } from '../../../common/month';
import { Eval } from '../../evals/eval.entity';
import type { ExtraOptions } from '../../evals/extra-options';
import { Result, type ResultDetails } from '../../evals/result.entity';
import type { UnsettledEval } from './finished-eval';

/** An eval whose vendors have answered and which the database has not taken. */
export interface UnstoredEval extends UnsettledEval {
  reservation: ReservationHandle;
}

/** Name of the log's event, by which operators and the replay find it. */
export const EVAL_NOT_STORED = 'eval-not-stored';

/**
 * Its log line: all that a replay needs. Amounts are USD as decimal strings; prompts and outputs only when they may be
 * logged and stored.
 */
export function toLogEvent(unstored: UnstoredEval, withTexts: boolean): Record<string, unknown> {
  const { record, results, startedAt, reservation, isStored } = unstored;
  const { id: evalId, userId, models, temperature, maxTokens, fastestModel, cheapestModel, durationMs } = record;
  return {
    event: EVAL_NOT_STORED,
    evalId,
    userId,
    keyId: reservation.keyId,
    models,
    inputTokens: sum(results.map(({ inputTokens }) => inputTokens)),
    outputTokens: sum(results.map(({ outputTokens }) => outputTokens)),
    cost: record.totalCost.toString(),
    createdAt: record.createdAt.toISOString(),
    startedAt: startedAt.toISOString(),
    durationMs,
    temperature,
    maxTokens,
    fastestModel,
    cheapestModel,
    samples: record.samples,
    rerunOf: record.rerunOf,
    maxCost: record.maxCost?.toString() ?? null,
    experimentId: record.experimentId,
    results: results.map((result) => resultEvent(result, isStored)),
    reservation: reservationEvent(reservation),
    ...(isStored === false && { isStored }),
    ...(withTexts && isStored !== false && { texts: textsOf(unstored) }),
  };
}

// A vendor's sentence may quote the prompt.
function resultEvent({ cost, error: given, ...result }: Result, isStored: boolean | undefined): object {
  const { model, provider, latencyMs, inputTokens, outputTokens, warnings, details } = result;
  const error = isStored === false && given !== null ? { ...given, message: '' } : given;
  return { model, provider, latencyMs, cost: cost.toString(), inputTokens, outputTokens, error, warnings, details };
}

function reservationEvent({ userLimit, keyLimit, ...reservation }: UnstoredEval['reservation']): object {
  const { id, wantsFree, isFree, isPersisted, mayBeCharged, freeQuota } = reservation;
  return {
    id,
    wantsFree,
    isFree,
    isPersisted,
    mayBeCharged,
    freeQuota,
    userLimit: userLimit?.toString() ?? null,
    keyLimit: keyLimit?.toString() ?? null,
  };
}

/** The texts, under other names: the log drops fields called prompt, input or output. */
function textsOf({ record, results }: UnstoredEval): object {
  return {
    promptText: record.prompt,
    inputText: record.input,
    outputTexts: results.map(({ output }) => output),
    // Checks hold texts, and so do the reasons of their verdicts.
    checks: record.checks,
    verdicts: results.map(({ checks }) => checks),
    options: record.options,
  };
}

/** The eval in a line of the log; undefined for any other line. @throws Error when the line cannot be replayed */
export function unstoredEvalIn(line: string, ttlSeconds: number): UnstoredEval | undefined {
  if (!line.includes(EVAL_NOT_STORED)) return undefined;
  const found = event.parse(JSON.parse(line));
  if (found.texts === undefined && found.isStored !== false)
    throw new Error(
      `${found.evalId}: its prompt and outputs were not logged (LOG_PROMPTS), so there is no eval to store.`,
    );
  const { promptText, inputText, outputTexts, checks, verdicts, options } = found.texts ?? NO_TEXTS;
  const { evalId, userId, keyId, startedAt, reservation } = found;
  const record = Object.assign(new Eval(), {
    id: evalId,
    userId,
    prompt: promptText,
    input: inputText,
    models: found.models,
    temperature: found.temperature,
    maxTokens: found.maxTokens,
    totalCost: found.cost,
    fastestModel: found.fastestModel,
    cheapestModel: found.cheapestModel,
    createdAt: found.createdAt ?? startedAt,
    durationMs: found.durationMs,
    samples: found.samples,
    checks,
    rerunOf: found.rerunOf,
    maxCost: found.maxCost,
    options,
    experimentId: found.experimentId,
  });
  const results = found.results.map((result, position) =>
    Object.assign(new Result(), {
      ...result,
      evalId,
      position,
      output: outputTexts[position] ?? '',
      checks: verdicts[position] ?? null,
    }),
  );
  // Without the Idempotency-Key: a failed compare keeps none, and the caller may have used it again.
  return {
    record,
    results,
    startedAt,
    isStored: found.isStored,
    reservation: { ...reservation, userId, keyId, month: Month.of(startedAt), idempotency: undefined, ttlSeconds },
  };
}

/** Of an eval that is stored without texts. */
const NO_TEXTS = { promptText: '', inputText: null, outputTexts: [], checks: null, verdicts: [], options: null };

const money = z.string().transform((text) => Money.of(text));
const instant = z.iso.datetime().transform((text) => new Date(text));
const count = z.number().int().nonnegative();

const event = z.object({
  event: z.literal(EVAL_NOT_STORED),
  evalId: z.string(),
  userId: z.string(),
  keyId: z.string(),
  models: z.array(z.string()),
  cost: money,
  startedAt: instant,
  durationMs: count,
  temperature: z.number(),
  maxTokens: count,
  fastestModel: z.string(),
  cheapestModel: z.string(),
  isStored: z.boolean().optional(),
  // Missing in lines of the release before.
  createdAt: instant.optional(),
  samples: count.default(1),
  rerunOf: z.string().nullable().default(null),
  maxCost: money.nullable().default(null),
  experimentId: z.string().nullable().default(null),
  results: z.array(
    z.object({
      model: z.string(),
      provider: z.string(),
      latencyMs: count,
      cost: money,
      inputTokens: count,
      outputTokens: count,
      error: z.object({ code: z.string(), message: z.string(), retryable: z.boolean() }).nullable(),
      warnings: z.array(z.object({ code: z.string(), message: z.string() })),
      details: z.custom<ResultDetails>((value) => typeof value === 'object' && value !== null),
    }),
  ),
  reservation: z.object({
    id: z.string(),
    wantsFree: z.boolean(),
    isFree: z.boolean(),
    isPersisted: z.boolean(),
    mayBeCharged: z.boolean(),
    freeQuota: count,
    userLimit: money.nullable(),
    keyLimit: money.nullable(),
  }),
  texts: z
    .object({
      promptText: z.string(),
      inputText: z.string().nullable(),
      outputTexts: z.array(z.string()),
      checks: z.custom<Check[] | null>(isListOrNull).default(null),
      verdicts: z.array(z.custom<Verdict[] | null>(isListOrNull)).default([]),
      options: z.custom<ExtraOptions | null>((value) => typeof value === 'object').default(null),
    })
    .optional(),
});

function isListOrNull(value: unknown): boolean {
  return value === null || Array.isArray(value);
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, next) => total + next, 0);
}
