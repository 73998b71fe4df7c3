import type { Effort } from '../../common/effort';
import type { ResponseFormat } from '../../common/response-format';
import type { Turn } from '../../common/turn';

/** The vendors a model can belong to; each has one strategy. */
export const VENDORS = [
  'openai',
  'anthropic',
  'gemini',
  'mistral',
  'deepseek',
  'xai',
  'groq',
  'openrouter',
  'local',
  'simulator',
] as const;

export type Vendor = (typeof VENDORS)[number];

/**
 * How thinking is asked for where models of a vendor differ: switched on besides its effort, switched on with a number
 * of tokens, or off by another word.
 */
export const THINKING_FORMS = ['adaptive', 'budget', 'between_tools'] as const;

/** How requests to one model are written, where models of a vendor differ. */
interface Dialect {
  /** The member that carries the output limit; vendors renamed it for reasoning models. */
  maxTokensField: 'max_tokens' | 'max_completion_tokens';
  /** Version of the vendor's API that understands this model, where the vendor has dated versions. */
  apiVersion?: string | undefined;
  thinking?: (typeof THINKING_FORMS)[number] | undefined;
}

/** One prompt for one model, vendor-neutral; the strategy translates it. */
export interface CompletionRequest {
  /** The vendor's own name of the model. */
  model: string;
  prompt: string;
  system?: string | undefined;
  /** Turns between the system message and the prompt. */
  history?: readonly Turn[] | undefined;
  /** The most tokens the model may produce, thought included. */
  maxTokens: number;
  /** Of these, the room for thought; 0 if none was set apart. */
  reasoningTokens?: number | undefined;
  /** The effort to send; undefined to leave it to the vendor. */
  reasoningEffort?: Effort | undefined;
  responseFormat?: ResponseFormat | undefined;
  /** Undefined where the model accepts none: then it is left out. */
  temperature: number | undefined;
  /**
   * True if the text is to come while it is written; otherwise the vendor is asked for the whole answer, which costs
   * far less to read.
   */
  isStreamed: boolean;
  dialect: Dialect;
}

/** The texts of a request. */
export type SentTexts = Pick<CompletionRequest, 'prompt' | 'system' | 'history'>;

/**
 * The texts that every vendor counts as input: the system message, the turns and the prompt. A schema is left out,
 * since some vendors do not count it.
 */
export function countedText({ prompt, system, history }: SentTexts): string {
  if (history !== undefined)
    return countedText({ system, prompt: [...history.map(({ content }) => content), prompt].join('\n\n') });
  return system === undefined ? prompt : `${system}\n\n${prompt}`;
}

/** The vendor's token counts, with one meaning for all vendors. */
export interface TokenUsage {
  /** All input tokens, cached ones included. */
  inputTokens: number;
  /** Of these, read from the vendor's cache. */
  cachedInputTokens: number;
  /** Of these, written to the vendor's cache. */
  cacheWriteTokens: number;
  /** All billed output tokens, reasoning included. */
  outputTokens: number;
  /** Of these, spent on reasoning. */
  reasoningTokens: number;
}

/** Why a model stopped: done, truncated at the output limit, or something else that still left a usable text. */
export type FinishReason = 'stop' | 'length' | 'other';

export interface Completion {
  text: string;
  finishReason: FinishReason;
  /** Undefined when the vendor did not say; never guessed here. */
  usage: TokenUsage | undefined;
  /** The cost that the vendor states for this call, in USD as a plain decimal, if it states one. */
  reportedCostUsd?: string | undefined;
  /** The model that answered and the id of its answer, as the vendor names them; may be anything. */
  responseModel?: unknown;
  responseId?: unknown;
}

export type OnText = (text: string) => void;

export interface VendorAccess {
  apiKey: string;
  baseUrl: string;
}

export interface ServerAddress {
  host: string;
  port: number;
}

export function serverAddressOf(baseUrl: string): ServerAddress {
  const { hostname: host, port, protocol } = new URL(baseUrl);
  return { host, port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port) };
}

export interface Provider {
  readonly vendor: Vendor;
  /** Where it is called; undefined where nothing is. */
  readonly address?: ServerAddress | undefined;
  /**
   * Calls `onText` as the text arrives and resolves to the complete answer. Ends when the signal is aborted; holds no
   * connection afterwards. @throws ProviderError
   */
  complete(request: CompletionRequest, signal: AbortSignal, onText: OnText): Promise<Completion>;
}
