/** Everything a vendor can do wrong on demand; each works on both wire protocols, streamed and not. */
export const FAULTS = [
  // Refusals with a status and the vendor's own error body.
  'bad-key',
  'quota',
  'rate-limit',
  'overload',
  'server-error',
  'context-too-long',
  'content-refused',
  'model-not-found',
  'bad-request',
  // Silence.
  'hang',
  'hang-after-headers',
  'stall-mid-stream',
  'drip',
  // Broken connections.
  'reset',
  'half-body',
  'clean-cut',
  // Successful statuses that carry no answer.
  'html',
  'error-in-200',
  'error-mid-stream',
  'empty-choices',
  'empty-body',
  'bad-json',
] as const;

/** Answers that never end, sent at the speed of the reader. */
export const FLOODS = [
  'flood-text',
  'flood-empty-events',
  'flood-comments',
  'flood-line',
  'flood-whole',
  'flood-compressed',
  'flood-refusal',
] as const;

/** One way to send far too much. */
export type Flood = (typeof FLOODS)[number];

/** One way to fail. */
export type Fault = (typeof FAULTS)[number] | Flood;

const FINISHES = ['stop', 'length', 'refusal', 'refusal-message'] as const;

/**
 * Why a model stops. `refusal-message` is OpenAI's other face of a refusal: no content, the words in `refusal`, finish
 * `stop`.
 */
export type Finish = (typeof FINISHES)[number];

/**
 * The behavior of one model for one prompt. Token counts have one meaning for every vendor; each wire brings them into
 * its vendor's form.
 */
export interface ModelScript {
  /** The answer; a greeting by default, nothing for a refusal. */
  text?: string;
  /** All input tokens, cached reads and writes included; 10 by default. */
  inputTokens?: number;
  /** All billed output tokens, reasoning included; 5 by default. */
  outputTokens?: number;
  /** Of the input, read from the cache. */
  cachedTokens?: number;
  /** Of the input, written to the cache. */
  cacheWriteTokens?: number;
  /** Of the output, spent on reasoning; above 0 the vendor also shows its reasoning the way it does. */
  reasoningTokens?: number;
  /** `none`: the vendor reports no usage at all. */
  usage?: 'none';
  /** The cost that xAI and OpenRouter state for the call; their list price by default, null for none. */
  costUsd?: number | null;
  /** Milliseconds before the headers. */
  delayMs?: number;
  /** Milliseconds before each piece of text; all of them together before the body of an answer that is not streamed. */
  chunkDelayMs?: number;
  /** Pieces the text comes in; 3 by default. */
  chunks?: number;
  /** The form of the answer, whatever the client asked for. */
  form?: 'streamed' | 'whole';
  /** The model that the answer names; by default the requested model. */
  answersAs?: string;
  finish?: Finish;
  fault?: Fault;
  /** The fault holds only for that many first calls of this run to this model. */
  failFirst?: number;
  /** `Retry-After` header of a fault with a status, word for word. */
  retryAfter?: string;
}

/** A script with nothing left open. */
export type Script = Required<Omit<ModelScript, Unset>> & Pick<ModelScript, Unset>;

type Unset = 'usage' | 'costUsd' | 'form' | 'answersAs' | 'fault' | 'retryAfter';

/** The script in a prompt for the vendor server. */
export interface Scripted {
  run: string;
  script: Script;
}

/**
 * The prompt carries a marker that means nothing. It is answered loudly, because a mistyped script would make a test
 * pass for the wrong reason.
 */
export class ScriptError extends Error {}

const OPENING = '#vendor{';
const CLOSING = '}#';

/** The marker that a prompt carries: what each model, by the vendor's name for it or `*`, does in this run. */
export function vendorScript(run: string, models: Record<string, ModelScript>): string {
  // Escaped, so that no text inside can end the marker.
  return `#vendor${JSON.stringify({ run, ...models }).replaceAll('#', String.raw`\u0023`)}#`;
}

/** Reads the first marker of a prompt; without one, every model greets. @throws ScriptError */
export function readScript(prompt: string, model: string): Scripted {
  const marker = markerIn(prompt);
  const { run, [model]: own, '*': other } = marker;
  if (run !== undefined && typeof run !== 'string') throw new ScriptError('run is no string');
  return { run: run ?? '', script: complete(model, own ?? other ?? {}) };
}

function markerIn(prompt: string): Record<string, unknown> {
  const start = prompt.indexOf(OPENING);
  if (start === -1) return {};
  // A marker written by hand may hold the closing signs inside a text: the first end that gives JSON is the end.
  for (let end = prompt.indexOf(CLOSING, start); end !== -1; end = prompt.indexOf(CLOSING, end + 1)) {
    const marker = asObject(parsed(prompt.slice(start + OPENING.length - 1, end + 1)));
    if (marker !== undefined) return marker;
  }
  throw new ScriptError('the marker is no JSON object between #vendor and #');
}

function complete(model: string, value: unknown): Script {
  const script = asObject(value) as ModelScript | undefined;
  if (script === undefined) throw new ScriptError(`the script of ${model} is no object`);
  if (script.fault !== undefined && ![...FAULTS, ...FLOODS].includes(script.fault))
    throw new ScriptError(`no such fault: ${script.fault}`);
  if (script.finish !== undefined && !FINISHES.includes(script.finish))
    throw new ScriptError(`no such finish: ${script.finish}`);
  const refused = script.finish?.startsWith('refusal') ?? false;
  return {
    text: refused ? '' : `Hello from ${model}.`,
    inputTokens: 10,
    outputTokens: 5,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    delayMs: 0,
    chunkDelayMs: 0,
    chunks: 3,
    finish: 'stop',
    failFirst: Infinity,
    ...script,
  };
}

/** The value of a JSON text; undefined when it is none. */
export function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** The value itself when it is an object with members; undefined otherwise. */
export function asObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}
