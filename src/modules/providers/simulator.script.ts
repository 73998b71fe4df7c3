import { FAILURES, type FailureCode } from './provider.error';
import { knownAnswer } from './simulator.answers';
import { scriptedPart, simulatedJudge, type SimulatedJudge } from './simulator.judge';
import { triggersIn, type TriggerAction } from './simulator-triggers';

export interface SimulatorScript {
  /** Milliseconds to wait before the first token. */
  slowMs: number;
  fail: FailureCode | undefined;
  /** Break off after half of the text, as a lost connection would. */
  cut: boolean;
  /** Tokens to produce instead of the model's own choice. */
  length: number | undefined;
  refusal: boolean;
  /** Tokens a second; at once without it. */
  pace: number | undefined;
  /** Say what the prompt says. */
  echo: boolean;
  /** Say exactly this; it may be empty. */
  say: string | undefined;
  /** Say one of a number of texts, drawn for each call. */
  vary: number;
  /** Tokens of thought instead of those of the effort. */
  think: number | undefined;
  judge: SimulatedJudge;
  answeredBy: string | undefined;
  /** The cost that the answer states, in USD. */
  statedCost: string | undefined;
}

const DEFAULT_THOUGHT = 1000;
const MAX_WAIT_MS = 120_000;
const DEFAULT_PACE = 20;
const MAX_PACE = 10_000;
const DEFAULT_VARY = 3;
/** This number of texts is certain to differ, see `words`. */
const MAX_VARY = 20;
/** An amount such as a vendor can state. */
const AMOUNT = /^\d{1,9}(?:\.\d{1,12})?$/;

/**
 * Reads the documented triggers out of a prompt: `[[sim:slow=2000]]` speaks to every simulated model,
 * `[[sim-quill:fail=rate_limited]]` to that one only. Unknown ones are plain text.
 */
export function scriptFor(model: string, prompt: string): SimulatorScript {
  const script: SimulatorScript = {
    slowMs: 0,
    fail: undefined,
    cut: false,
    length: undefined,
    refusal: false,
    pace: undefined,
    echo: false,
    say: undefined,
    vary: 1,
    think: undefined,
    judge: 'fair',
    answeredBy: undefined,
    statedCost: undefined,
    ...knownAnswer(model, prompt),
  };
  for (const { target, action, value } of triggersIn(scriptedPart(prompt))) {
    if (target === 'sim' || target === model) Object.assign(script, ACTIONS[action](value, script));
  }
  return script;
}

const ACTIONS: Record<TriggerAction, (value: string | undefined, script: SimulatorScript) => Partial<SimulatorScript>> =
  {
    slow: (value) => ({ slowMs: Math.min(numberIn(value) ?? 2000, MAX_WAIT_MS) }),
    fail: (value) => ({ fail: isFailure(value) ? value : 'unavailable' }),
    cut: () => ({ cut: true }),
    length: (value, { length }) => ({ length: numberIn(value) ?? length }),
    refusal: () => ({ refusal: true }),
    pace: (value) => ({ pace: Math.min(Math.max(numberIn(value) ?? DEFAULT_PACE, 1), MAX_PACE) }),
    echo: () => ({ echo: true }),
    say: (value) => ({ say: value }),
    vary: (value) => ({ vary: Math.min(Math.max(numberIn(value) ?? DEFAULT_VARY, 1), MAX_VARY) }),
    think: (value) => ({ think: numberIn(value) ?? DEFAULT_THOUGHT }),
    judge: (value) => ({ judge: simulatedJudge(value) }),
    'answered-by': (value) => ({ answeredBy: value }),
    'stated-cost': (value, { statedCost }) => ({ statedCost: AMOUNT.test(value ?? '') ? value : statedCost }),
  };

function numberIn(value: string | undefined): number | undefined {
  const number = Number.parseInt(value ?? '', 10);
  return Number.isNaN(number) ? undefined : number;
}

function isFailure(value: string | undefined): value is FailureCode {
  return value !== undefined && Object.hasOwn(FAILURES, value);
}

export function countQuoted(text: string): number {
  return Math.ceil([...text].length / 4);
}

/**
 * A text in tokens of four characters, each character whole; as many as are wanted, from the beginning again when they
 * are more than the text has.
 */
export function* quotedTokens(text: string, count: number): Generator<string> {
  const tokens = text.match(/[^]{1,4}/gu) ?? [];
  for (let spoken = 0; spoken < count; spoken += 1) yield tokens[spoken % tokens.length] ?? '';
}

const SENTENCES = [
  'This answer is simulated and says little.',
  'No vendor was called, yet it has a price and is counted like any other.',
  'The same request always gives the same text.',
  'A real model would have read your prompt more closely.',
  'Compare the latency, the tokens and the exact cost beside it.',
  'Each simulated model has a speed and a price of its own.',
  'Triggers in the prompt make it slow, short, long or broken, or let it repeat what you wrote.',
  'Set the key of a vendor to hear what its models have to say.',
].map((sentence) => sentence.split(' '));

/** The tokens a simulated model says: always the same for the same seed, and as many as are wanted. */
export function* words(seed: number, count: number): Generator<string> {
  let spoken = 0;
  for (let sentence = seed % SENTENCES.length; ; sentence = (sentence + 1 + (seed % 3)) % SENTENCES.length) {
    for (const word of SENTENCES[sentence] ?? []) {
      if (spoken === count) return;
      yield (spoken === 0 ? '' : ' ') + word;
      spoken += 1;
    }
  }
}

/** How many tokens the simulator counts for a text: one for four characters, begun ones included. */
export function simulatedTokens(text: string): number {
  return Math.ceil(text.length / 4);
}
