import { shortAmount } from '../../../client/amount-text';
import type { Eval, Result, RunResult } from '../../../client/client';
import { elapsedText, triesText } from '../../../client/figure-text';
import { type LeadKind, leadOf } from '../../../client/lead';
import { timeText } from '../../../client/time-text';
import { groupDigits } from '../limits';
import type { ColumnState } from '../run/run';

/** A shown figure; `title` has all its digits if the text has not. */
export interface Figure {
  text: string;
  title?: string | undefined;
  /**
   * True if the result does not have it, such as the first text of an answer that came as a whole: then it has no place
   * either.
   */
  isAbsent?: true;
}

/** The figures above an answer. What is not known is a dash, never 0. */
export interface Figures {
  latency: Figure;
  firstText: Figure;
  speed: Figure;
  tokens: Figure;
  /** Undefined where the model did not think. */
  thought: Figure | undefined;
  cost: Figure;
  /** Such as "after 3 tries"; undefined where one was enough, or the count is not known. */
  attempts: string | undefined;
}

export const DASH = '–';
const UNKNOWN: Figure = { text: DASH, title: 'not known yet' };
const ABSENT: Figure = { text: DASH, title: 'not known', isAbsent: true };

/** The figures of a result; all dashes before there is one. */
export function figuresOf(result: RunResult | Result | undefined): Figures {
  if (result === undefined)
    return {
      latency: UNKNOWN,
      firstText: UNKNOWN,
      speed: UNKNOWN,
      tokens: UNKNOWN,
      thought: undefined,
      cost: UNKNOWN,
      attempts: undefined,
    };
  const { details } = result;
  return {
    latency: duration(result.latency_ms),
    firstText: duration(details?.ttft_ms),
    speed: speed(details?.tokens_per_second),
    ...(result.error === undefined
      ? tokens(result)
      : { tokens: { text: DASH, title: 'no tokens: the model failed' }, thought: undefined }),
    cost: 'cost_usd' in result ? money(result.cost_usd) : ABSENT,
    attempts: triesText(numberOf(details?.attempts)),
  };
}

/** Bytes of text in a token, about. */
const BYTES_PER_TOKEN = 4;

/**
 * The figures of an answer while it is written, by the time since it was sent. Events carry no counts, so tokens and
 * speed are estimated from the text.
 */
export function liveFigures(
  { text, firstTextMs }: Pick<ColumnState, 'text' | 'firstTextMs'>,
  elapsedMs: number,
): Figures {
  const tokens = Math.ceil(new TextEncoder().encode(text).length / BYTES_PER_TOKEN);
  const estimate = (figure: string): Figure =>
    tokens === 0 ? UNKNOWN : { text: `≈ ${figure}`, title: 'estimated from the text so far' };
  return {
    ...figuresOf(undefined),
    latency: { text: elapsedText(elapsedMs) },
    firstText: firstTextMs === undefined ? UNKNOWN : duration(Math.round(firstTextMs)),
    speed: estimate(`${Math.round(tokens / Math.max(0.1, elapsedMs / 1000))} tok/s`),
    tokens: estimate(groupDigits(tokens)),
  };
}

/** One line for a model in the list of answers: "1.21 s", "failed", "writing". */
export function stateText({ phase, result }: ColumnState): string {
  return phase === 'ended' && typeof result?.latency_ms === 'number'
    ? timeText(result.latency_ms)
    : { ended: 'ended', failed: 'failed', waiting: 'waiting', writing: 'writing', lost: 'not received' }[phase];
}

/** An amount in dollars with three significant digits; its title has all of them. */
export function money(exact: unknown): Figure {
  const text = typeof exact === 'number' ? String(exact) : exact;
  return typeof text === 'string' ? { text: shortAmount(text), title: `$${text}` } : UNKNOWN;
}

function duration(ms: unknown): Figure {
  const known = numberOf(ms);
  return known === undefined ? ABSENT : { text: timeText(known), title: `${groupDigits(known)} ms` };
}

function speed(perSecond: unknown): Figure {
  const known = numberOf(perSecond);
  if (known === undefined) return ABSENT;
  if (known === 0) return { text: DASH, title: 'no output tokens, so no speed' };
  return {
    text: `${known < 9.95 ? known.toFixed(1) : groupDigits(Math.round(known))} tok/s`,
    title: `${known} output tokens per second`,
  };
}

/** Tokens of text, and apart from them those of thought, which are output as well. */
function tokens(result: RunResult | Result): Pick<Figures, 'tokens' | 'thought'> {
  const [input, output] = [numberOf(result.input_tokens), numberOf(result.output_tokens)];
  if (input === undefined || output === undefined) return { tokens: ABSENT, thought: undefined };
  const reasoning = numberOf((result.details?.tokens as { reasoning?: unknown } | undefined)?.reasoning) ?? 0;
  const text = `${groupDigits(input)} + ${groupDigits(Math.max(0, output - reasoning))}`;
  const title = `${groupDigits(input)} tokens in, ${groupDigits(output)} out`;
  if (reasoning <= 0) return { tokens: { text, title }, thought: undefined };
  return {
    tokens: { text, title: `${title}, ${groupDigits(reasoning)} of them thought` },
    thought: { text: groupDigits(reasoning), title: `${title}, ${groupDigits(reasoning)} of them thought` },
  };
}

/** A number; undefined for anything else. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

const WORDS = { fastest: 'Fastest', cheapest: 'Cheapest' } as const;

/** The words of the badge of a leading model; undefined for the others. */
export function leadText(stored: Eval | undefined, kind: LeadKind, model: string): string | undefined {
  const lead = leadOf(stored, kind, model);
  return (
    lead && { likely: `Likely ${kind}`, unsure: `${WORDS[kind]}, maybe luck`, once: `${WORDS[kind]} this time` }[lead]
  );
}
