import '../bootstrap/check-node-version';
import type { PriceCalculation } from '@pydantic/genai-prices';
import { print } from '../bootstrap/terminal';
import { Clock } from '../common/clock';
import { environmentVariables } from '../config/process-environment';
import { priceAt, type Model, type Price } from '../models/catalog';
import { loadCatalog } from '../models/load-catalog';
import { runCommand } from '../bootstrap/run-command';

/** Names under which genai-prices knows our vendors, where they differ. */
const PROVIDER_IDS: Readonly<Record<string, string>> = { gemini: 'google', xai: 'x-ai' };
const UNCHECKED = new Set(['local', 'simulator']);

type TheirPrice = PriceCalculation['model_price'];

/** `npm run catalog:check`: compares each model of the catalog (with MODEL_CATALOG_FILE) with the current prices of @pydantic/genai-prices. Exits with 1 if one differs. */
void runCommand({ usage: 'npm run catalog:check' }, async () => {
  const now = new Clock().now();
  const { calcPrice } = await import('@pydantic/genai-prices');
  const verdicts = loadCatalog({ MODEL_CATALOG_FILE: environmentVariables()['MODEL_CATALOG_FILE'], LOCAL_MODELS: [] })
    .filter(({ vendor }) => !UNCHECKED.has(vendor))
    .map((model) => {
      const providerId = PROVIDER_IDS[model.vendor] ?? model.vendor;
      const theirs = calcPrice({ input_tokens: 1, output_tokens: 1 }, model.vendorModel, { providerId, timestamp: now });
      return { id: model.id, verdict: verdictOn(model, priceAt(model, now), theirs) };
    });
  for (const { id, verdict } of verdicts) print(`${id.padEnd(32)} ${verdict}`);
  const count = (word: string) => verdicts.filter(({ verdict }) => verdict.startsWith(word)).length;
  print(`${verdicts.length} models: ${count('equal')} equal, ${count('differs')} differ, ${count('not there')} not there, ${count('no price')} without a price today.`);
  if (count('differs') > 0) process.exitCode = 1;
});

function verdictOn(model: Model, ours: Price | undefined, theirs: PriceCalculation | null): string {
  if (ours === undefined) return 'no price of ours for today';
  // It resolves unknown names to their nearest relative, whose price says nothing.
  if (theirs === null || !theirs.model.id.endsWith(lastPart(model.vendorModel))) return `not there${theirs === null ? '' : ` (it would take ${theirs.model.id})`}`;
  const differences = [
    difference('input', ours.input.toString(), theirs.model_price.input_mtok),
    difference('output', ours.output.toString(), theirs.model_price.output_mtok),
    difference('cached input', ours.cachedInput?.toString(), theirs.model_price.cache_read_mtok),
    difference('cache write', ours.cacheWrite?.toString(), theirs.model_price.cache_write_mtok),
  ].filter((words) => words !== undefined);
  return differences.length === 0 ? 'equal' : `differs: ${differences.join('; ')}`;
}

function difference(what: string, ours: string | undefined, theirs: TheirPrice['input_mtok']): string | undefined {
  const base = typeof theirs === 'object' ? theirs.base : theirs;
  // Their figures are floats, ours exact; as numbers of dollars both have the same shortest text.
  const [mine, yours] = [ours === undefined ? 'none' : String(Number(ours)), base === undefined ? 'none' : String(base)];
  return mine === yours ? undefined : `${what} ${mine}, theirs ${yours}`;
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}
