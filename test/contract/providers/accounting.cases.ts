import type { Counts } from './fixtures.cases';

/** A vendor's counts, their meaning and their cost; without `counts` the service has to estimate. */
export interface AccountingCase {
  model: string;
  what: string;
  usage: object | null;
  counts?: Counts;
  /** In USD, worked out by hand from the catalog's price of 2026-11-24, a Tuesday, 12:00 UTC. */
  cost?: string;
}

/** OpenAI's three counts with whatever a vendor adds. */
function chat(prompt: number, completion: number, total: number, more: object = {}): object {
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total, ...more };
}

const cached = (tokens: number, written = 0) => ({
  prompt_tokens_details: { cached_tokens: tokens, cache_write_tokens: written },
});
const reasoned = (tokens: number) => ({ completion_tokens_details: { reasoning_tokens: tokens } });

/** Anthropic's counts. */
function message(
  input: number | null,
  read: number | null,
  written: number | null,
  output: number,
  thinking?: number,
): object {
  return {
    input_tokens: input,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
    output_tokens: output,
    output_tokens_details: thinking === undefined ? null : { thinking_tokens: thinking },
  };
}

// The sums are in millionths of a dollar: tokens × dollars per million.
export const ACCOUNTING: readonly AccountingCase[] = [
  // 976 × 0.10 + 1024 × 0.01 + 100 × 0.50 = 97.6 + 10.24 + 50 = 157.84
  {
    model: 'gpt-6-luna',
    what: 'cached inside',
    usage: chat(2000, 100, 2100, cached(1024)),
    counts: [2000, 1024, 0, 100, 0],
    cost: '0.00015784',
  },
  // 300 × 0.10 + 1200 × 0.125 + 100 × 0.50 = 30 + 150 + 50 = 230
  {
    model: 'gpt-6-luna',
    what: 'written inside',
    usage: chat(1500, 100, 1600, cached(0, 1200)),
    counts: [1500, 0, 1200, 100, 0],
    cost: '0.00023',
  },
  // 76 × 0.10 + 1024 × 0.01 + 1900 × 0.125 + 100 × 0.50 = 7.6 + 10.24 + 237.5 + 50 = 305.34
  {
    model: 'gpt-6-luna',
    what: 'cached and written inside',
    usage: chat(3000, 100, 3100, cached(1024, 1900)),
    counts: [3000, 1024, 1900, 100, 0],
    cost: '0.00030534',
  },
  // 100 × 0.10 + 900 × 0.50 = 460
  {
    model: 'gpt-6-luna',
    what: 'reasoning inside',
    usage: chat(100, 900, 1000, reasoned(850)),
    counts: [100, 0, 0, 900, 850],
    cost: '0.00046',
  },
  // 272000 × 0.10 + 10 × 0.50 = 27205
  {
    model: 'gpt-6-luna',
    what: 'the longest prompt at the plain rates',
    usage: chat(272_000, 10, 272_010),
    counts: [272_000, 0, 0, 10, 0],
    cost: '0.027205',
  },
  // 272001 × 0.20 + 10 × 0.75 = 54400.2 + 7.5 = 54407.7
  {
    model: 'gpt-6-luna',
    what: 'one token more',
    usage: chat(272_001, 10, 272_011),
    counts: [272_001, 0, 0, 10, 0],
    cost: '0.0544077',
  },
  // no rate for writes: 1500 × 0.75 + 100 × 4.50 = 1125 + 450 = 1575
  {
    model: 'gpt-5.4-mini',
    what: 'written, without a rate for it',
    usage: chat(1500, 100, 1600, cached(0, 1200)),
    counts: [1500, 0, 1200, 100, 0],
    cost: '0.001575',
  },
  { model: 'gpt-6-luna', what: 'no usage', usage: null },
  { model: 'gpt-6-luna', what: 'an empty usage', usage: {} },
  { model: 'gpt-6-luna', what: 'input only', usage: { prompt_tokens: 12 } },

  // 100 × 2 + 2000 × 0.10 + 50 × 10 = 200 + 200 + 500 = 900
  {
    model: 'claude-sonnet-5-5',
    what: 'cached beside',
    usage: message(100, 2000, 0, 50),
    counts: [2100, 2000, 0, 50, 0],
    cost: '0.0009',
  },
  // 100 × 2 + 1500 × 2.50 + 50 × 10 = 200 + 3750 + 500 = 4450
  {
    model: 'claude-sonnet-5-5',
    what: 'written beside',
    usage: message(100, 0, 1500, 50),
    counts: [1600, 0, 1500, 50, 0],
    cost: '0.00445',
  },
  // 200 + 2000 × 0.10 + 3750 + 500 = 4650
  {
    model: 'claude-sonnet-5-5',
    what: 'cached and written beside',
    usage: message(100, 2000, 1500, 50),
    counts: [3600, 2000, 1500, 50, 0],
    cost: '0.00465',
  },
  // 100 × 2 + 800 × 10 = 8200
  {
    model: 'claude-sonnet-5-5',
    what: 'thinking inside',
    usage: message(100, 0, 0, 800, 750),
    counts: [100, 0, 0, 800, 750],
    cost: '0.0082',
  },
  // 100 × 2 + 50 × 10 = 700
  {
    model: 'claude-sonnet-5-5',
    what: 'no word of a cache',
    usage: message(100, null, null, 50),
    counts: [100, 0, 0, 50, 0],
    cost: '0.0007',
  },
  // what is read from the cache makes a prompt long: 1000 × 0.50 + 99001 × 0.05 + 10 × 2.50 = 500 + 4950.05 + 25 =
  // 5475.05
  {
    model: 'claude-haiku-5-5',
    what: 'a prompt that is long with what was cached',
    usage: message(1000, 99_001, 0, 10),
    counts: [100_001, 99_001, 0, 10, 0],
    cost: '0.00547505',
  },
  // 1000 × 0.10 + 99000 × 0.01 + 10 × 0.50 = 100 + 990 + 5 = 1095
  {
    model: 'claude-haiku-5-5',
    what: 'one token less',
    usage: message(1000, 99_000, 0, 10),
    counts: [100_000, 99_000, 0, 10, 0],
    cost: '0.001095',
  },
  { model: 'claude-sonnet-5-5', what: 'no usage', usage: null },
  { model: 'claude-sonnet-5-5', what: 'no input', usage: message(null, null, null, 50) },

  // 1150 − 100 = 1050 out: 100 × 0.75 + 1050 × 3.75 = 75 + 3937.5 = 4012.5
  {
    model: 'gemini-3.8-flash',
    what: 'reasoning apart, in the total only',
    usage: chat(100, 50, 1150),
    counts: [100, 0, 0, 1050, 0],
    cost: '0.0040125',
  },
  {
    model: 'gemini-3.8-flash',
    what: 'reasoning apart, counted',
    usage: chat(100, 50, 1150, reasoned(1000)),
    counts: [100, 0, 0, 1050, 1000],
    cost: '0.0040125',
  },
  // 100 × 0.75 + 500 × 3.75 = 75 + 1875 = 1950
  {
    model: 'gemini-3.8-flash',
    what: 'reasoning that left nothing to say',
    usage: { prompt_tokens: 100, total_tokens: 600 },
    counts: [100, 0, 0, 500, 0],
    cost: '0.00195',
  },
  // 904 × 0.75 + 4096 × 0.075 + 50 × 3.75 = 678 + 307.2 + 187.5 = 1172.7
  {
    model: 'gemini-3.8-flash',
    what: 'cached inside',
    usage: chat(5000, 50, 5050, cached(4096)),
    counts: [5000, 4096, 0, 50, 0],
    cost: '0.0011727',
  },
  { model: 'gemini-3.8-flash', what: 'no usage', usage: null },

  // 5 × 0.15 + 1008 × 0.015 + 30 × 0.60 = 0.75 + 15.12 + 18 = 33.87
  {
    model: 'mistral-small-2603',
    what: 'cached inside, by a name of its own',
    usage: chat(1013, 30, 1043, { num_cached_tokens: 1008 }),
    counts: [1013, 1008, 0, 30, 0],
    cost: '0.00003387',
  },
  {
    model: 'mistral-small-2603',
    what: 'cached inside, misspelled',
    usage: chat(1013, 30, 1043, { prompt_token_details: { cached_tokens: 1008 } }),
    counts: [1013, 1008, 0, 30, 0],
    cost: '0.00003387',
  },
  { model: 'mistral-small-2603', what: 'no usage', usage: null },

  // 10 × 0.66 + 1024 × 0.022 + 310 × 1.98 = 6.6 + 22.528 + 613.8 = 642.928
  {
    model: 'deepseek-v4-pro',
    what: 'cached inside, by a name of its own',
    usage: chat(1034, 310, 1344, { prompt_cache_hit_tokens: 1024, prompt_cache_miss_tokens: 10 }),
    counts: [1034, 1024, 0, 310, 0],
    cost: '0.000642928',
  },
  {
    model: 'deepseek-v4-pro',
    what: 'cached inside, reported twice',
    usage: chat(1034, 310, 1344, { ...cached(1024), prompt_cache_hit_tokens: 1024 }),
    counts: [1034, 1024, 0, 310, 0],
    cost: '0.000642928',
  },
  {
    model: 'deepseek-v4-pro',
    what: 'reasoning inside',
    usage: chat(1034, 310, 1344, { ...cached(1024), ...reasoned(298) }),
    counts: [1034, 1024, 0, 310, 298],
    cost: '0.000642928',
  },
  { model: 'deepseek-v4-pro', what: 'no usage', usage: null },

  // 1600 − 1000 = 600 out: 1000 × 1.25 + 600 × 2.50 = 1250 + 1500 = 2750
  {
    model: 'grok-4.3',
    what: 'reasoning apart',
    usage: chat(1000, 100, 1600, reasoned(500)),
    counts: [1000, 0, 0, 600, 500],
    cost: '0.00275',
  },
  {
    model: 'grok-4.3',
    what: 'reasoning inside, should it move there',
    usage: chat(1000, 600, 1600, reasoned(500)),
    counts: [1000, 0, 0, 600, 500],
    cost: '0.00275',
  },
  // no more than the prompt: 100 × 0.20 + 10 × 2.50 = 20 + 25 = 45
  {
    model: 'grok-4.3',
    what: 'more cached than there was',
    usage: chat(100, 10, 110, cached(500)),
    counts: [100, 100, 0, 10, 0],
    cost: '0.000045',
  },
  // 199999 × 1.25 + 10 × 2.50 = 249998.75 + 25 = 250023.75
  {
    model: 'grok-4.3',
    what: 'the longest prompt at the plain rates',
    usage: chat(199_999, 10, 200_009),
    counts: [199_999, 0, 0, 10, 0],
    cost: '0.25002375',
  },
  // 200000 × 2.50 + 10 × 5 = 500050
  {
    model: 'grok-4.3',
    what: 'one token more',
    usage: chat(200_000, 10, 200_010),
    counts: [200_000, 0, 0, 10, 0],
    cost: '0.50005',
  },
  { model: 'grok-4.3', what: 'no usage', usage: null },

  // 488 × 0.15 + 512 × 0.075 + 100 × 0.60 = 73.2 + 38.4 + 60 = 171.6
  {
    model: 'groq/gpt-oss-120b',
    what: 'cached inside',
    usage: chat(1000, 100, 1100, cached(512)),
    counts: [1000, 512, 0, 100, 0],
    cost: '0.0001716',
  },
  // 100 × 0.15 + 400 × 0.60 = 15 + 240 = 255
  {
    model: 'groq/gpt-oss-120b',
    what: 'reasoning inside',
    usage: chat(100, 400, 500, reasoned(350)),
    counts: [100, 0, 0, 400, 350],
    cost: '0.000255',
  },
  { model: 'groq/gpt-oss-120b', what: 'no usage', usage: null },

  // writes at the input rate: 700 × 1.40 + 300 × 0.26 + 100 × 4.40 = 980 + 78 + 440 = 1498
  {
    model: 'openrouter/glm-5.3',
    what: 'cached and written inside',
    usage: chat(1000, 100, 1100, cached(300, 500)),
    counts: [1000, 300, 500, 100, 0],
    cost: '0.001498',
  },
  // 100 × 1.40 + 400 × 4.40 = 140 + 1760 = 1900
  {
    model: 'openrouter/glm-5.3',
    what: 'reasoning inside',
    usage: chat(100, 400, 500, reasoned(350)),
    counts: [100, 0, 0, 400, 350],
    cost: '0.0019',
  },
  { model: 'openrouter/glm-5.3', what: 'no usage', usage: null },

  {
    model: 'local/own',
    what: 'details that are null',
    usage: chat(16, 24, 40, { prompt_tokens_details: null, completion_tokens_details: null }),
    counts: [16, 0, 0, 24, 0],
    cost: '0',
  },
  {
    model: 'local/own',
    what: 'no total',
    usage: { prompt_tokens: 16, completion_tokens: 24 },
    counts: [16, 0, 0, 24, 0],
    cost: '0',
  },
  { model: 'local/own', what: 'no usage', usage: null },
];
