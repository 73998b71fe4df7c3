import { BASE_PATHS } from './vendor/vendor-server';

/**
 * The variables that point every vendor of the service at the vendor server, with keys that are none; the simulator
 * stays on beside them.
 */
export function vendorVariables(url: string): Record<string, string> {
  const vendors = Object.entries(BASE_PATHS).flatMap(([vendor, path]) => [
    [`${vendor.toUpperCase()}_BASE_URL`, url + path],
    [`${vendor.toUpperCase()}_API_KEY`, `sk-MARKER-${vendor}-0123456789`],
  ]);
  return { ...(Object.fromEntries(vendors) as Record<string, string>), LOCAL_MODELS: 'llama3.2', SIMULATOR: 'on' };
}
