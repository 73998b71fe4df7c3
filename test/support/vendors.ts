/** The variables that point every vendor of the service at the vendor server, with keys that are none; the simulator stays on beside them. */
export function vendorVariables(url: string): Record<string, string> {
  return {
    OPENAI_API_KEY: 'sk-CANARY-openai-0123456789',
    OPENAI_BASE_URL: `${url}/openai/v1`,
    ANTHROPIC_API_KEY: 'sk-ant-CANARY-0123456789',
    ANTHROPIC_BASE_URL: `${url}/anthropic`,
    SIMULATOR: 'on',
  };
}
