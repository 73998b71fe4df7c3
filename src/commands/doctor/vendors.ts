import { VENDOR_KEYS } from '../../platform/config/config-rules';
import type { Settings } from '../../platform/config/environment';
import { Clock } from '../../common/clock';
import { askSources } from '../../modules/models/catalog-sources';
import { CatalogError } from '../../modules/models/catalog';
import { findingsOf, verdictsOn } from '../../modules/models/catalog-verdicts';
import { loadCatalog } from '../../modules/models/load-catalog';
import { accessTo, vendorsWithKeys, type HttpVendor } from '../../modules/providers/vendor-access';
import { count } from '../../bootstrap/terminal';
import { broken, ok, warning, type Judgment } from './finding';

const TIMEOUT_MS = 5000;
// Google answers 400 to a key that it does not know.
const REFUSALS = [400, 401, 403];

/** Asks each vendor with a key for its models, which costs nothing; one verdict each. */
export async function diagnoseVendors(settings: Partial<Settings>): Promise<Judgment[]> {
  const names = vendorsWithKeys(settings).map(([name]) => name);
  if ((settings.LOCAL_MODELS ?? []).length > 0) names.push('local');
  const isProduction = settings.NODE_ENV === 'production';
  const isSimulated = settings.SIMULATOR ?? (!isProduction && names.length === 0);
  const asked = await Promise.all(names.map((name) => diagnoseVendor(name, settings)));
  if (isSimulated && isProduction)
    return [
      warning(`The simulator is on: ${names.length === 0 ? 'all answers are' : 'some models are'} made up.`),
      ...asked,
    ];
  if (names.length > 0) return asked;
  return [
    isSimulated
      ? ok('No vendor has a key, so the simulator answers.')
      : broken(`No model can be called: none of ${VENDOR_KEYS.join(', ')} is set.`),
  ];
}

/** Compares the catalog with the vendors' Models APIs; vendors that do not answer have another diagnosis. */
export async function diagnoseCatalog({ LOCAL_MODELS = [], ...settings }: Partial<Settings>): Promise<Judgment> {
  if (vendorsWithKeys(settings).length === 0) return ok('No vendor has a key, so there is nothing to compare it with.');
  const now = new Clock().now();
  const { sources } = await askSources(settings, [], now, AbortSignal.timeout(TIMEOUT_MS));
  try {
    const findings = findingsOf(
      verdictsOn(
        loadCatalog({ MODEL_CATALOG_FILE: settings.MODEL_CATALOG_FILE, LOCAL_MODELS }),
        { sources, unasked: [] },
        now,
      ),
    );
    const compared = `Compared with ${sources.map(({ name }) => name).join(', ')}`;
    // Known ends of models are findings without any source.
    if (sources.length === 0 && findings.length === 0)
      return warning('Unknown: no vendor answered, so nothing was compared.');
    if (findings.length === 0) return ok(`${compared}: no difference.`);
    return warning(
      `${compared}: ${count(findings.length, 'finding')}, the first: ${findings[0]?.model} ${findings[0]?.message}. \`npm run catalog:check\` prints all.`,
    );
  } catch (error) {
    if (error instanceof CatalogError) return broken('It is not valid; see the settings.');
    throw error;
  }
}

async function diagnoseVendor(name: HttpVendor, settings: Partial<Settings>): Promise<Judgment> {
  const { address, headers } = requestOf(name, settings);
  try {
    const { status, body } = await fetch(address, {
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await body?.cancel();
    if (status < 300) return ok(`${name}: answers, and does not refuse the key.`);
    return REFUSALS.includes(status)
      ? broken(`${name}: refuses ${name.toUpperCase()}_API_KEY (${status}).`)
      : warning(`${name}: answers ${status}, which does not say whether the key is right.`);
  } catch (error) {
    const { cause, name: kind } = error as Error & { cause?: { code?: string } };
    return broken(
      `${name}: is not reachable (${cause?.code ?? kind}); is ${name.toUpperCase()}_BASE_URL right, and may this machine connect there?`,
    );
  }
}

function requestOf(
  name: HttpVendor,
  settings: Partial<Settings>,
): { address: string; headers: Record<string, string> } {
  const { apiKey, baseUrl } = accessTo(
    name,
    settings,
    settings[`${name.toUpperCase() as Uppercase<HttpVendor>}_API_KEY`]?.trim() ?? '',
  );
  const base = baseUrl.replace(/\/+$/, '');
  if (name === 'anthropic')
    return { address: `${base}/v1/models`, headers: { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' } };
  // OpenRouter lists its models to everybody, also without a key.
  return {
    address: `${base}${name === 'openrouter' ? '/key' : '/models'}`,
    headers: { authorization: `Bearer ${apiKey}` },
  };
}
