/** The models that the service has at vendors. */
export const KNOWN_MODELS: readonly string[] = [
  'gpt-6.2-astra', 'gpt-6.2-sol', 'gpt-6.1-terra', 'gpt-6-luna', 'gpt-5.4-mini', 'gpt-4.1-mini',
  'claude-fable-5-2', 'claude-fable-5-1', 'claude-opus-5-5', 'claude-sonnet-5-5', 'claude-haiku-5-5', 'claude-sonnet-4-6', 'claude-haiku-4-5',
  'gemini-4-carbon', 'gemini-4-argon', 'gemini-4-neon', 'gemini-4-hydrogen', 'gemini-3.8-flash', 'gemini-3.1-pro-preview', 'gemini-3.5-flash', 'gemini-3.5-flash-lite', 'gemini-2.5-flash-lite',
  'mistral-large-4', 'mistral-medium-3-5', 'mistral-small-2603', 'ministral-8b-2512', 'deepseek-flash', 'deepseek-v4-pro',
  'grok-4.7', 'grok-4.3', 'grok-4.20-0309-non-reasoning', 'groq/gpt-oss-120b', 'groq/gpt-oss-20b', 'groq/qwen3.8-27b', 'openrouter/kimi-k3', 'openrouter/glm-5.3', 'openrouter/minimax-m3',
];
