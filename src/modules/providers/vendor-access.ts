import { VENDOR_KEYS } from '../../platform/config/config-rules';
import type { Settings } from '../../platform/config/environment';
import { CHAT_VENDORS, type ChatVendorName } from './chat-vendors';
import type { VendorAccess } from './provider';

export type HttpVendor = ChatVendorName | 'anthropic';

const ANTHROPIC_BASE_URL = 'https://api.anthropic.com';

/** How a vendor is called with a key: at the address of the settings, or at its own. */
export function accessTo(vendor: HttpVendor, settings: Partial<Settings>, apiKey: string): VendorAccess {
  const own = vendor === 'anthropic' ? ANTHROPIC_BASE_URL : CHAT_VENDORS[vendor].baseUrl;
  return { apiKey, baseUrl: settings[`${vendor.toUpperCase() as Uppercase<HttpVendor>}_BASE_URL`] ?? own };
}

export function vendorsWithKeys(settings: Partial<Settings>): [HttpVendor, VendorAccess][] {
  return VENDOR_KEYS.flatMap((name): [HttpVendor, VendorAccess][] => {
    const [vendor, apiKey] = [name.replace(/_API_KEY$/, '').toLowerCase() as HttpVendor, settings[name]];
    return apiKey === undefined ? [] : [[vendor, accessTo(vendor, settings, apiKey)]];
  });
}
