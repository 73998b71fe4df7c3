import type { Settings } from '../../platform/config/environment';
import { readTextFile } from '../../common/read-text-file';
import { CatalogError, mergeCatalogs, readCatalog, type Model } from './catalog';
import builtIn from './catalog.json';

/** Far more than all models there are. */
const MAX_CATALOG_KILOBYTES = 16 * 1024;

type CatalogSettings = Pick<Settings, 'MODEL_CATALOG_FILE' | 'LOCAL_MODELS'>;

/**
 * Loads every model this process may offer: the built-in catalog, LOCAL_MODELS, and the operator's MODEL_CATALOG_FILE,
 * which overrides both. Unverified entries are left out and replace nothing. @throws CatalogError
 */
export function loadCatalog(config: CatalogSettings): Model[] {
  const base = [...readCatalog(builtIn), ...readCatalog(config.LOCAL_MODELS.map(localModel))];
  return config.MODEL_CATALOG_FILE === undefined
    ? base
    : mergeCatalogs(
        base,
        readFile(config.MODEL_CATALOG_FILE).filter(({ unverified }) => !unverified),
      );
}

function readFile(file: string): Model[] {
  const { text, problem } = readTextFile(file, MAX_CATALOG_KILOBYTES);
  if (text === undefined) throw new CatalogError([`MODEL_CATALOG_FILE: ${problem}`]);
  try {
    const data: unknown = JSON.parse(text);
    if (!Array.isArray(data))
      throw new CatalogError([
        `MODEL_CATALOG_FILE: ${file} has to hold a list of models, such as [{"id": "my-model", …}]`,
      ]);
    return readCatalog(data);
  } catch (error) {
    if (error instanceof CatalogError) throw error;
    throw new CatalogError(['MODEL_CATALOG_FILE: is not valid JSON']);
  }
}

export function freeModelsProblems(
  { FREE_MODELS = [] }: Pick<Settings, 'FREE_MODELS'>,
  models: readonly Model[],
): string[] {
  const unknown = FREE_MODELS.filter((id) => !models.some((model) => model.id === id));
  return unknown.length === 0 ? [] : [`FREE_MODELS: the catalog has no model with the id ${unknown.join(', ')}`];
}

/**
 * Why the service would not start with the catalog that these settings name; nothing if a setting is itself invalid.
 */
export function catalogProblems(settings: Partial<Settings>): string[] {
  if (!isComplete(settings)) return [];
  try {
    return freeModelsProblems(settings, loadCatalog(settings));
  } catch (error) {
    if (error instanceof CatalogError) return [...error.faults];
    throw error;
  }
}

function isComplete(settings: Partial<Settings>): settings is Settings {
  return settings.LOCAL_MODELS !== undefined;
}

/** The catalog entry of a model on the operator's own server, of which only the name is known; it costs nothing. */
function localModel(name: string): unknown {
  return {
    id: `local/${name}`,
    name,
    provider: 'Local',
    vendor: 'local',
    vendorModel: name,
    contextWindow: null,
    maxOutputTokens: null,
    accepts: { temperature: { min: 0, max: 2 } },
    dialect: { maxTokensField: 'max_tokens' },
    prices: [{ from: '2020-01-01', input: '0', output: '0' }],
    source: { what: 'LOCAL_MODELS', seen: '2020-01-01' },
  };
}
