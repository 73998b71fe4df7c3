import type { Result, RunResult } from '../../../client/client';
import { factsOf } from '../evaluated';
import { groupDigits } from '../limits';
import type { RaisedLimit } from './answer-actions';

/** The message of an ended answer without text. */
interface EmptyAnswer {
  sentence: string;
  /** A limit with which it may be better; undefined where no limit was the reason. */
  raise: RaisedLimit | undefined;
}

const NO_ROOM = 'no_room_for_answer';
const RAISE_BY = 4;
/** The room that the catalog gives most models that think. */
const MIN_ROOM = 2000;
/** The service takes no more. */
const MAX_TOKENS = 16_384;

/** Why an answer has no text. */
export function emptyAnswer(result: RunResult | Result | undefined, maxTokens: number | undefined): EmptyAnswer {
  const warning = warningsOf(result).find(({ code }) => code === NO_ROOM);
  if (warning !== undefined) return { sentence: warning.message, raise: raisedLimit(result, maxTokens) };
  const isCut =
    result?.details?.finish_reason === 'length' || warningsOf(result).some(({ code }) => code === 'output_truncated');
  if (!isCut) return { sentence: 'Empty answer: the model ended it before the first word.', raise: undefined };
  const spent = result?.output_tokens;
  const count = typeof spent === 'number' && spent > 0 ? `all ${groupDigits(spent)} tokens` : 'all its tokens';
  return {
    sentence: `Empty answer: the model spent ${count} on reasoning (max_tokens).`,
    raise: raisedLimit(result, maxTokens),
  };
}

/** Room for thought where the model thought, otherwise a higher limit. */
function raisedLimit(result: RunResult | Result | undefined, maxTokens: number | undefined): RaisedLimit | undefined {
  const { reasoning } = factsOf(result?.details?.tokens);
  const thought = typeof reasoning === 'number' ? reasoning : 0;
  const limit: RaisedLimit | undefined =
    thought > 0
      ? { field: 'room', to: Math.max(thought, MIN_ROOM / RAISE_BY) }
      : maxTokens === undefined
        ? undefined
        : { field: 'maxTokens', to: maxTokens };
  return limit === undefined || limit.to >= MAX_TOKENS
    ? undefined
    : { ...limit, to: Math.min(MAX_TOKENS, limit.to * RAISE_BY) };
}

/** The warnings of a result, as far as they can be read. */
export function warningsOf(result: RunResult | Result | undefined): { code: string; message: string }[] {
  const warnings: unknown = result?.warnings;
  if (!Array.isArray(warnings)) return [];
  return warnings.flatMap((warning: unknown) => {
    const { code, message } = (warning ?? {}) as Record<string, unknown>;
    return typeof message === 'string' ? [{ code: typeof code === 'string' ? code : 'unknown', message }] : [];
  });
}

/** Those shown below the answer: a lack of room is said in its place. */
export function shownWarnings(result: RunResult | Result | undefined): { code: string; message: string }[] {
  return warningsOf(result).filter(({ code }) => code !== NO_ROOM);
}

/**
 * The effort of an answer in words, and the wanted effort where another was sent; undefined where neither exists, or
 * the id of the model says it.
 */
export function effortText(
  id: string,
  asked: string | undefined,
  result: RunResult | Result | undefined,
): string | undefined {
  const wanted = id.split('@')[1] ?? asked;
  const sent = sentEffort(result, wanted);
  if (sent !== undefined && sent === id.split('@')[1]) return undefined;
  if (wanted === undefined || sent === wanted) return sent && `effort ${sent}`;
  return `${sent === undefined ? 'no effort sent' : `effort ${sent}`} (asked for ${wanted})`;
}

/** The effort in the parameters of a call. A model that cannot think needs no parameter for `none`. */
function sentEffort(result: RunResult | Result | undefined, wanted: string | undefined): string | undefined {
  const applied: unknown = result?.details?.applied;
  if (applied === undefined || result?.error !== undefined) return wanted;
  const { reasoning_effort: sent } = factsOf(applied);
  return typeof sent === 'string' ? sent : wanted === 'none' ? wanted : undefined;
}
