import type { Script } from './vendor.script';

/** The vendors the server plays. */
export type VendorName =
  'openai' | 'gemini' | 'mistral' | 'deepseek' | 'xai' | 'groq' | 'openrouter' | 'local' | 'anthropic';

/** The vendors that speak chat completions. */
export type ChatVendor = Exclude<VendorName, 'anthropic'>;

export type JsonObject = Record<string, unknown>;

/** One call to one model. */
export interface VendorCall {
  vendor: VendorName;
  model: string;
  body: JsonObject;
  headers: Record<string, string>;
  script: Script;
}

/** A streamed answer as server-sent events, in the parts where it can be slowed down or broken. */
export interface Frames {
  opening: string[];
  /** One for each piece of text. */
  text: string[];
  closing: string[];
}

/** How a protocol says things. */
export interface Wire {
  /** The answer, streamed. */
  frames(call: VendorCall): Frames;
  /** The answer in one piece. */
  whole(call: VendorCall): JsonObject;
  /** A protocol-conform answer in which nothing is said. */
  emptyFrames(call: VendorCall): string[];
  emptyWhole(call: VendorCall): JsonObject;
  /** The event that ends a stream in failure. */
  errorFrame(call: VendorCall): string;
  /** An event whose JSON breaks off. */
  brokenFrame(call: VendorCall): string;
}

/** Every answer was made at that instant (2026-11-18), so that answers can be compared. */
export const CREATED = 1_795_000_000;

// Keeps a slip of the pen from eating the memory.
const MAX_PIECES = 100_000;

/**
 * The script's text in its pieces, cut between characters; some are empty when there are more pieces than characters.
 */
export function piecesOf({ text, chunks, fault }: Script): string[] {
  if (text === '') return [];
  const characters = Array.from(text);
  // A break in the middle needs text before it and after it.
  const count = Math.min(Math.max(Math.trunc(chunks) || 1, fault === undefined ? 1 : 2), MAX_PIECES);
  const border = (index: number) => Math.floor((index * characters.length) / count);
  return Array.from({ length: count }, (_, index) => characters.slice(border(index), border(index + 1)).join(''));
}

/** A server-sent event. */
export function frame(data: unknown, event?: string): string {
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}
