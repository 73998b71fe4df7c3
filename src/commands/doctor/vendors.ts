import { VENDOR_KEYS } from '../../config/config-rules';
import type { Settings } from '../../config/environment';
import { CHAT_VENDORS, type ChatVendorName } from '../../providers/chat-vendors';
import { broken, ok, warning, type Judgment } from './finding';

type VendorName = ChatVendorName | 'anthropic';

const TIMEOUT_MS = 5000;
// Google answers 400 to a key that it does not know.
const REFUSALS = [400, 401, 403];

/** Asks each vendor with a key for its models, which costs nothing; one verdict each. */
export async function diagnoseVendors(settings: Partial<Settings>): Promise<Judgment[]> {
  const names = VENDOR_KEYS.filter((name) => settings[name] !== undefined).map((name) => name.replace(/_API_KEY$/, '').toLowerCase());
  if ((settings.LOCAL_MODELS ?? []).length > 0) names.push('local');
  const isProduction = settings.NODE_ENV === 'production';
  const isSimulated = settings.SIMULATOR ?? (!isProduction && names.length === 0);
  const asked = await Promise.all(names.map((name) => diagnoseVendor(name as VendorName, settings)));
  if (isSimulated && isProduction) return [warning(`The simulator is on: ${names.length === 0 ? 'all answers are' : 'some models are'} made up.`), ...asked];
  if (names.length > 0) return asked;
  return [isSimulated ? ok('No vendor has a key, so the simulator answers.') : broken(`No model can be called: none of ${VENDOR_KEYS.join(', ')} is set.`)];
}

async function diagnoseVendor(name: VendorName, settings: Partial<Settings>): Promise<Judgment> {
  const { address, headers } = requestOf(name, settings);
  try {
    const { status, body } = await fetch(address, { headers, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
    await body?.cancel();
    if (status < 300) return ok(`${name}: answers, and does not refuse the key.`);
    return REFUSALS.includes(status) ? broken(`${name}: refuses ${name.toUpperCase()}_API_KEY (${status}).`) : warning(`${name}: answers ${status}, which does not say whether the key is right.`);
  } catch (error) {
    const { cause, name: kind } = error as Error & { cause?: { code?: string } };
    return broken(`${name}: is not reachable (${cause?.code ?? kind}); is ${name.toUpperCase()}_BASE_URL right, and may this machine connect there?`);
  }
}

function requestOf(name: VendorName, settings: Partial<Settings>): { address: string; headers: Record<string, string> } {
  const upper = name.toUpperCase() as Uppercase<VendorName>;
  const [key, base] = [settings[`${upper}_API_KEY`]?.trim() ?? '', settings[`${upper}_BASE_URL`]?.replace(/\/+$/, '')];
  if (name === 'anthropic') return { address: `${base ?? 'https://api.anthropic.com'}/v1/models`, headers: { 'x-api-key': key, 'anthropic-version': '2023-06-01' } };
  // OpenRouter lists its models to everybody, also without a key.
  return { address: `${base ?? CHAT_VENDORS[name].baseUrl}${name === 'openrouter' ? '/key' : '/models'}`, headers: { authorization: `Bearer ${key}` } };
}
