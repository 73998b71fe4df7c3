/** Base paths at which the vendor server plays each vendor. */
const PATHS: Readonly<Record<string, string>> = {
  OPENAI: '/openai/v1',
  ANTHROPIC: '/anthropic',
  GEMINI: '/gemini',
  MISTRAL: '/mistral/v1',
  DEEPSEEK: '/deepseek',
  XAI: '/xai/v1',
  GROQ: '/groq/openai/v1',
  OPENROUTER: '/openrouter/api/v1',
  LOCAL: '/local/v1',
};

/** The variables that point every vendor of the service at the vendor server, with keys that are none; the simulator stays on beside them. */
export function vendorVariables(url: string): Record<string, string> {
  const vendors = Object.entries(PATHS).flatMap(([name, path]) => [[`${name}_BASE_URL`, url + path], [`${name}_API_KEY`, `sk-CANARY-${name.toLowerCase()}-0123456789`]]);
  return { ...Object.fromEntries(vendors) as Record<string, string>, LOCAL_MODELS: 'llama3.2', SIMULATOR: 'on' };
}
