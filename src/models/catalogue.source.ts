import { readFileSync } from 'node:fs';
import type { Config } from '../common/config';
import { CatalogueError, overlaid, readCatalogue, type Model } from './catalogue';
import builtIn from './catalogue.json';

/** All models this process may offer: ours, the operator's file over them, and the local ones named by configuration. @throws CatalogueError */
export function loadCatalogue(config: Pick<Config, 'MODEL_CATALOGUE' | 'LOCAL_MODELS'>): Model[] {
  const ours = [...readCatalogue(builtIn), ...readCatalogue(config.LOCAL_MODELS.map(localModel))];
  return config.MODEL_CATALOGUE === undefined ? ours : overlaid(ours, readFile(config.MODEL_CATALOGUE));
}

function readFile(file: string): Model[] {
  try {
    return readCatalogue(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    if (error instanceof CatalogueError) throw error;
    throw new CatalogueError([`MODEL_CATALOGUE: ${error instanceof SyntaxError ? 'is not valid JSON' : 'cannot be read'}`]);
  }
}

/** A model on the operator's own server: we know its name and that it costs nothing. */
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
