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

const SENTENCES = [
  'This answer is simulated, so it costs nothing and says little.',
  'The same request always gives the same text.',
  'A real model would have read your prompt more closely.',
  'Compare the latency, the tokens and the exact cost beside it.',
  'Each simulated model has a pace and a price of its own.',
  'Triggers in the prompt make it slow, short, long or broken.',
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
