import { FAILURES, type FailureCode } from './provider.error';

/** What a prompt asks a simulated model to do. */
export interface SimulatorScript {
  /** Milliseconds to wait before the first token. */
  slowMs: number;
  fail: FailureCode | undefined;
  /** Break off after half of the text, as a lost connection would. */
  cut: boolean;
  /** Tokens to produce instead of the model's own choice. */
  length: number | undefined;
  refusal: boolean;
}

const TRIGGER = /\[\[([a-z0-9-]+):(slow|fail|cut|length|refusal)(?:=([a-z0-9_]+))?\]\]/g;
const LONGEST_WAIT_MS = 120_000;

/**
 * Reads the documented triggers out of a prompt: `[[sim:slow=2000]]` speaks to every simulated model,
 * `[[sim-quill:fail=rate_limited]]` to that one only. Unknown ones are plain text.
 */
export function scriptFor(model: string, prompt: string): SimulatorScript {
  const script: SimulatorScript = { slowMs: 0, fail: undefined, cut: false, length: undefined, refusal: false };
  for (const [, target, action, value] of prompt.matchAll(TRIGGER)) {
    if (target === 'sim' || target === model) apply(script, action ?? '', value);
  }
  return script;
}

function apply(script: SimulatorScript, action: string, value: string | undefined): void {
  const number = Number.parseInt(value ?? '', 10);
  if (action === 'slow') script.slowMs = Number.isNaN(number) ? 2000 : Math.min(number, LONGEST_WAIT_MS);
  if (action === 'fail') script.fail = isFailure(value) ? value : 'unavailable';
  if (action === 'cut') script.cut = true;
  if (action === 'length' && !Number.isNaN(number)) script.length = number;
  if (action === 'refusal') script.refusal = true;
}

function isFailure(value: string | undefined): value is FailureCode {
  return value !== undefined && Object.hasOwn(FAILURES, value);
}

const WORDS = ('the model reads your prompt weighs each word and answers in plain language so that you can compare '
  + 'style length speed and price without spending anything every run of this request gives the same text').split(' ');

/** The tokens a simulated model says: always the same for the same request. */
export function* words(seed: number, count: number): Generator<string> {
  let state = seed >>> 0;
  for (let i = 0; i < count; i += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield (i === 0 ? '' : ' ') + (WORDS[(state >>> 8) % WORDS.length] ?? '');
  }
}

/** How many tokens the simulator counts for a text: one for four characters, begun ones included. */
export function simulatedTokens(text: string): number {
  return Math.ceil(text.length / 4);
}
