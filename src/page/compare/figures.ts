import type { Result, RunResult } from '../../client/client';
import { shortAmount } from '../../client/amount-text';
import { groupDigits } from './limits';

/** A shown figure; `title` has all its digits if the text has not. */
export interface Figure {
  text: string;
  title?: string | undefined;
}

/** The figures above an answer. What is not known is a dash, never 0. */
export interface Figures {
  latency: Figure;
  firstText: Figure;
  speed: Figure;
  tokens: Figure;
  cost: Figure;
  /** Such as "after 3 tries"; undefined where one was enough, or the count is not known. */
  attempts: string | undefined;
}

export const DASH = '–';
const UNKNOWN: Figure = { text: DASH, title: 'not known yet' };
/** The times of a failed or blank answer, and of an answer that came as a whole. */
const NOT_MEASURED: Figure = { text: DASH, title: 'not measured' };

/** The figures of a result; all dashes before there is one. */
export function figuresOf(result: RunResult | Result | undefined): Figures {
  if (result === undefined) return { latency: UNKNOWN, firstText: UNKNOWN, speed: UNKNOWN, tokens: UNKNOWN, cost: UNKNOWN, attempts: undefined };
  const { details } = result;
  const attempts = numberOf(details?.attempts);
  return {
    latency: duration(result.latency_ms),
    firstText: duration(details?.ttft_ms),
    speed: speed(details?.tokens_per_second),
    tokens: result.error === undefined ? tokens(result) : { text: DASH, title: 'no tokens: the model failed' },
    cost: money(result.cost_usd),
    attempts: attempts === undefined || attempts < 2 ? undefined : `after ${attempts} tries`,
  };
}

/** Milliseconds as seconds of about three digits: "0.31 s", "12.3 s", "101 s". */
export function secondsText(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  return `${seconds.toFixed(seconds < 9.995 ? 2 : seconds < 99.95 ? 1 : 0)} s`;
}

/** Milliseconds of something that is still going on: tenths are enough. */
export function elapsedText(ms: number): string {
  return `${(Math.max(0, ms) / 1000).toFixed(1)} s`;
}

/** An amount in dollars with three significant digits; its title has all of them. */
export function money(exact: unknown): Figure {
  const text = typeof exact === 'number' ? String(exact) : exact;
  return typeof text === 'string' ? { text: shortAmount(text), title: `$${text}` } : UNKNOWN;
}

function duration(ms: unknown): Figure {
  if (ms === null) return NOT_MEASURED;
  const known = numberOf(ms);
  return known === undefined ? UNKNOWN : { text: secondsText(known), title: `${groupDigits(known)} ms` };
}

function speed(perSecond: unknown): Figure {
  if (perSecond === null) return NOT_MEASURED;
  const known = numberOf(perSecond);
  if (known === undefined) return UNKNOWN;
  if (known === 0) return { text: DASH, title: 'no output tokens, so no speed' };
  return { text: `${known < 9.95 ? known.toFixed(1) : groupDigits(Math.round(known))} tok/s`, title: `${known} output tokens per second` };
}

function tokens(result: RunResult | Result): Figure {
  const [input, output] = [numberOf(result.input_tokens), numberOf(result.output_tokens)];
  if (input === undefined || output === undefined) return UNKNOWN;
  const reasoning = numberOf((result.details?.tokens as { reasoning?: unknown } | undefined)?.reasoning) ?? 0;
  const thought = reasoning > 0 ? `, ${groupDigits(reasoning)} of them for reasoning` : '';
  return { text: `${groupDigits(input)} + ${groupDigits(output)}`, title: `${groupDigits(input)} tokens in, ${groupDigits(output)} out${thought}` };
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
