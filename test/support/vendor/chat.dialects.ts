import type { Script } from './vendor.script';
import type { ChatVendor, JsonObject } from './wire';

/** Where a stream carries its usage. */
type UsagePosition = 'own-chunk' | 'finish-chunk' | 'every-chunk' | 'x_groq' | 'nowhere';

/** Where one vendor's chat completions differ from the others'. */
export interface ChatDialect {
  id: string;
  /** Members of every chunk and answer beside the common ones. */
  extra: JsonObject;
  /** Lines that a stream begins with and every client must skip. */
  comments: readonly string[];
  /** True if a chunk with only the role comes first. */
  roleFirst: boolean;
  /** True if each delta repeats the role. */
  roleAlways: boolean;
  /** True if the last piece of text also carries the finish reason. */
  finishWithText: boolean;
  /** True if `finish_reason` is null in the chunks before. */
  nullFinish: boolean;
  /** True if `usage` is null in the chunks before. */
  nullUsage(includeUsage: boolean): boolean;
  usagePositions(includeUsage: boolean): readonly UsagePosition[];
  usage(script: Script): JsonObject;
  /** Delta or message members that show the reasoning; undefined when the vendor keeps it to itself. */
  reasoning(words: string): JsonObject | undefined;
}

const PLAIN: ChatDialect = {
  id: 'chatcmpl-2487a8a959e2480081550c5c25694def',
  extra: {},
  comments: [],
  roleFirst: true,
  roleAlways: false,
  finishWithText: false,
  nullFinish: true,
  nullUsage: () => false,
  usagePositions: (includeUsage) => [includeUsage ? 'own-chunk' : 'nowhere'],
  usage: counts,
  reasoning: (words) => ({ reasoning_content: words }),
};

/** Reasoning inside the completion tokens, as most count. */
function counts({ inputTokens, outputTokens }: Script): JsonObject {
  return { prompt_tokens: inputTokens, completion_tokens: outputTokens, total_tokens: inputTokens + outputTokens };
}

/** Reasoning apart: only the total has it. */
function countsApart({ inputTokens, outputTokens, reasoningTokens }: Script): JsonObject {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens - reasoningTokens,
    total_tokens: inputTokens + outputTokens,
  };
}

function openaiUsage(script: Script): JsonObject {
  return {
    ...counts(script),
    prompt_tokens_details: {
      cached_tokens: script.cachedTokens,
      cache_write_tokens: script.cacheWriteTokens,
      audio_tokens: 0,
    },
    completion_tokens_details: {
      reasoning_tokens: script.reasoningTokens,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

function mistralUsage(script: Script): JsonObject {
  return {
    ...counts(script),
    ...(script.cachedTokens > 0 && { prompt_tokens_details: { cached_tokens: script.cachedTokens } }),
  };
}

function deepseekUsage(script: Script): JsonObject {
  return {
    ...counts(script),
    prompt_tokens_details: { cached_tokens: script.cachedTokens },
    completion_tokens_details: { reasoning_tokens: script.reasoningTokens },
    prompt_cache_hit_tokens: script.cachedTokens,
    prompt_cache_miss_tokens: script.inputTokens - script.cachedTokens,
  };
}

const TICKS_PER_USD = 10_000_000_000;
// Grok 4.3's prices of 2026-11 in ticks a token: 1.25, 0.20 and 2.50 dollars a million.
const XAI_TICKS = { input: 12_500, cached: 2_000, output: 25_000 };

function xaiTicks({ inputTokens, cachedTokens, outputTokens, costUsd }: Script): number {
  if (typeof costUsd === 'number') return Math.round(costUsd * TICKS_PER_USD);
  return (
    (inputTokens - cachedTokens) * XAI_TICKS.input + cachedTokens * XAI_TICKS.cached + outputTokens * XAI_TICKS.output
  );
}

function xaiUsage(script: Script): JsonObject {
  const { inputTokens, cachedTokens, reasoningTokens } = script;
  return {
    ...countsApart(script),
    prompt_tokens_details: { text_tokens: inputTokens, audio_tokens: 0, image_tokens: 0, cached_tokens: cachedTokens },
    completion_tokens_details: {
      reasoning_tokens: reasoningTokens,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
    num_sources_used: 0,
    ...(script.costUsd !== null && { cost_in_usd_ticks: xaiTicks(script) }),
  };
}

function groqUsage(script: Script): JsonObject {
  return {
    queue_time: 0.0183,
    prompt_time: 0.0035,
    completion_time: 0.0601,
    total_time: 0.0636,
    ...counts(script),
    prompt_tokens_details: { cached_tokens: script.cachedTokens },
    completion_tokens_details: { reasoning_tokens: script.reasoningTokens },
  };
}

// Kimi K3's list prices: 3 and 15 dollars a million tokens.
function openrouterUsage(script: Script): JsonObject {
  const prompt = (script.inputTokens * 3) / 1_000_000;
  const completion = (script.outputTokens * 15) / 1_000_000;
  return {
    ...counts(script),
    ...(script.costUsd !== null && {
      cost: script.costUsd ?? (script.inputTokens * 3 + script.outputTokens * 15) / 1_000_000,
    }),
    is_byok: false,
    prompt_tokens_details: {
      cached_tokens: script.cachedTokens,
      cache_write_tokens: script.cacheWriteTokens,
      audio_tokens: 0,
      video_tokens: 0,
    },
    cost_details: {
      upstream_inference_cost: null,
      upstream_inference_prompt_cost: prompt,
      upstream_inference_completions_cost: completion,
    },
    completion_tokens_details: { reasoning_tokens: script.reasoningTokens, image_tokens: 0, audio_tokens: 0 },
  };
}

/** The deviations, as the vendors' documents, their SDKs and reports of their users show them in November 2026. */
export const DIALECTS: Record<ChatVendor, ChatDialect> = {
  openai: {
    ...PLAIN,
    id: 'chatcmpl-CcA1b2C3d4E5f6G7h8I9j0K1',
    extra: { service_tier: 'default', system_fingerprint: null },
    nullUsage: (includeUsage) => includeUsage,
    usage: openaiUsage,
    reasoning: () => undefined,
  },
  gemini: {
    ...PLAIN,
    id: 'aRkfaYjTEMq1xs0Pv4LZ8Ac',
    roleFirst: false,
    roleAlways: true,
    finishWithText: true,
    nullFinish: false,
    usagePositions: () => ['every-chunk'],
    usage: (script) => ({
      ...countsApart(script),
      ...(script.cachedTokens > 0 && { prompt_tokens_details: { cached_tokens: script.cachedTokens } }),
    }),
    reasoning: () => undefined,
  },
  mistral: {
    ...PLAIN,
    id: '59060ef9339a4112b2c9e57e3ee6199d',
    finishWithText: true,
    nullUsage: () => true,
    usagePositions: () => ['finish-chunk'],
    usage: mistralUsage,
    reasoning: (words) => ({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: words }] }] }),
  },
  deepseek: {
    ...PLAIN,
    id: '48ad6b6e-b2f7-4059-b9cf-aa5d966f8f22',
    extra: { system_fingerprint: 'fp_eaab8d114b_prod0820_fp8_kvcache' },
    comments: [': keep-alive\n\n'],
    nullUsage: () => true,
    usagePositions: (includeUsage) => [includeUsage ? 'own-chunk' : 'finish-chunk'],
    usage: deepseekUsage,
  },
  xai: {
    ...PLAIN,
    id: '923d4779-8674-4a1e-a509-b9ecc58263a9',
    extra: { system_fingerprint: 'fp_x' },
    roleAlways: true,
    nullFinish: false,
    usagePositions: () => ['own-chunk'],
    usage: xaiUsage,
  },
  groq: {
    ...PLAIN,
    id: 'chatcmpl-e7ebbb57-834f-48fa-bc73-5abb960c78b5',
    extra: { system_fingerprint: 'fp_3f3b593e33' },
    usagePositions: (includeUsage) => (includeUsage ? ['x_groq', 'own-chunk'] : ['x_groq']),
    usage: groqUsage,
    reasoning: (words) => ({ reasoning: words }),
  },
  openrouter: {
    ...PLAIN,
    id: 'gen-1795000000-AbCdEfGh',
    extra: { provider: 'Moonshot AI' },
    comments: [': OPENROUTER PROCESSING\n\n', ': OPENROUTER PROCESSING\n\n'],
    roleAlways: true,
    usagePositions: () => ['own-chunk'],
    usage: openrouterUsage,
    reasoning: (words) => ({
      reasoning: words,
      reasoning_details: [{ type: 'reasoning.text', text: words, format: 'unknown', index: 0 }],
    }),
  },
  local: { ...PLAIN, extra: { system_fingerprint: 'fp_ollama' }, reasoning: (words) => ({ reasoning: words }) },
};
