import { readFileSync } from 'node:fs';
import type { Config } from '../common/config';
import { CatalogError, mergeCatalogs, readCatalog, type Model } from './catalog';
import builtIn from './catalog.json';

/** Loads every model this process may offer: the built-in catalog, LOCAL_MODELS, and the operator's MODEL_CATALOG_FILE, which overrides both. @throws CatalogError */
export function loadCatalog(config: Pick<Config, 'MODEL_CATALOG_FILE' | 'LOCAL_MODELS'>): Model[] {
  const base = [...readCatalog(builtIn), ...readCatalog(config.LOCAL_MODELS.map(localModel))];
  return config.MODEL_CATALOG_FILE === undefined ? base : mergeCatalogs(base, readFile(config.MODEL_CATALOG_FILE));
}

function readFile(file: string): Model[] {
  try {
    return readCatalog(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    if (error instanceof CatalogError) throw error;
    throw new CatalogError([`MODEL_CATALOG_FILE: ${error instanceof SyntaxError ? 'is not valid JSON' : 'cannot be read'}`]);
  }
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
