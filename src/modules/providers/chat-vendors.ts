import type { Vendor } from './provider';

/** The vendors that speak chat completions, OpenAI's protocol. */
export type ChatVendorName = Exclude<Vendor, 'anthropic' | 'simulator'>;

/** How a vendor's chat completions deviate from OpenAI's. */
export interface ChatVendor {
  baseUrl: string;
  /** True if `stream_options.include_usage` is sent: some vendors need it, others refuse it. */
  asksForUsage: boolean;
  /**
   * How an effort is written: as the member `reasoning_effort`, beside a switch of `thinking`, or within `reasoning`.
   */
  effortForm: 'reasoning_effort' | 'thinking' | 'reasoning';
  /** Finish reasons that mean the vendor interrupted the answer. */
  interruptedFinishReasons: readonly string[];
}

const AS_OPENAI = { asksForUsage: true, effortForm: 'reasoning_effort', interruptedFinishReasons: [] } as const;

/**
 * Deviations of each vendor; common cases (the position of usage, content in parts, errors in odd shapes)
 * are handled for all in `openai/chat-accumulator.ts`.
 */
export const CHAT_VENDORS: Readonly<Record<ChatVendorName, ChatVendor>> = {
  /** platform.openai.com/docs/api-reference/chat/create */
  openai: { ...AS_OPENAI, baseUrl: 'https://api.openai.com/v1' },
  /** ai.google.dev/gemini-api/docs/openai; reasoning is counted in the total only */
  gemini: { ...AS_OPENAI, baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai' },
  /** docs.mistral.ai/api; unknown members are answered with 422, stream_options among them (avante.nvim#2347) */
  mistral: {
    ...AS_OPENAI,
    baseUrl: 'https://api.mistral.ai/v1',
    asksForUsage: false,
    interruptedFinishReasons: ['error'],
  },
  /** api-docs.deepseek.com/api/create-chat-completion; thinking is on unless it is switched off */
  deepseek: {
    ...AS_OPENAI,
    baseUrl: 'https://api.deepseek.com',
    effortForm: 'thinking',
    interruptedFinishReasons: ['insufficient_system_resource'],
  },
  /** docs.x.ai/docs/api-reference; reasoning is counted beside completion_tokens (vercel/ai#12425) */
  xai: { ...AS_OPENAI, baseUrl: 'https://api.x.ai/v1' },
  /** console.groq.com/docs/openai; errors in a stream are in `x_groq.error` */
  groq: { ...AS_OPENAI, baseUrl: 'https://api.groq.com/openai/v1' },
  /** openrouter.ai/docs/api-reference; usage always comes, errors may come with status 200 */
  openrouter: {
    baseUrl: 'https://openrouter.ai/api/v1',
    asksForUsage: false,
    effortForm: 'reasoning',
    interruptedFinishReasons: ['error'],
  },
  /** docs.ollama.com/openai, docs.vllm.ai, lmstudio.ai/docs/api, llama.cpp server */
  local: { ...AS_OPENAI, baseUrl: 'http://127.0.0.1:11434/v1' },
};
