import { OperatorError } from '../../common/operator-error';
import { readBounded } from '../../common/read-bounded';
import { readTextFile } from '../../common/read-text-file';
import type { Settings } from '../../platform/config/environment';
import { listModels } from '../providers/list-models';
import type { ModelFacts } from '../providers/model-facts';
import type { Vendor } from '../providers/provider';
import { vendorsWithKeys } from '../providers/vendor-access';
import { readPriceTable } from './price-table';

/** Milliseconds within which all sources have to answer. */
export const SOURCES_TIMEOUT_MS = 30_000;
/** More than models.dev has. */
const MAX_TABLE_KILOBYTES = 16 * 1024;

/** The facts of one source about the models of one vendor. */
export interface Source {
  /** As printed: the vendor's name, or the address of a table. */
  name: string;
  vendor: Vendor;
  /** True for the vendor's own list, in which every model has to be. */
  isVendor: boolean;
  models: readonly ModelFacts[];
}

/** The sources that answered, and why others did not. */
export interface Asked {
  sources: Source[];
  unasked: { name: string; reason: string }[];
}

/** Asks the vendors that have a key for their models, and reads price tables from files or addresses. */
export async function askSources(
  settings: Partial<Settings>,
  tables: readonly string[],
  now: Date,
  signal: AbortSignal,
): Promise<Asked> {
  const today = now.toISOString().slice(0, 10);
  const asked: Asked = { sources: [], unasked: [] };
  const ask = async (name: string, answer: () => Promise<Source[]>) => {
    try {
      asked.sources.push(...(await answer()));
    } catch (error) {
      asked.unasked.push({ name, reason: error instanceof OperatorError ? error.message : 'is not reachable' });
    }
  };
  await Promise.all([
    ...vendorsWithKeys(settings).map(([vendor, access]) =>
      ask(vendor, async () => [
        { name: vendor, vendor, isVendor: true, models: await listModels(vendor, access, today, signal) },
      ]),
    ),
    ...tables.map((name) =>
      ask(name, async () =>
        [...readPriceTable(await textOf(name, signal))].map(([vendor, models]) => ({
          name,
          vendor,
          isVendor: false,
          models,
        })),
      ),
    ),
  ]);
  asked.sources.sort(
    (left, right) => Number(right.isVendor) - Number(left.isVendor) || (left.name < right.name ? -1 : 1),
  );
  return asked;
}

async function textOf(name: string, signal: AbortSignal): Promise<string> {
  if (/^https?:\/\//.test(name)) {
    const response = await fetch(name, { signal });
    if (!response.ok) throw new OperatorError(`answers ${response.status}`);
    return (await readBounded(response, MAX_TABLE_KILOBYTES * 1024)).toString();
  }
  const { text, problem } = readTextFile(name, MAX_TABLE_KILOBYTES);
  if (text === undefined) throw new OperatorError(problem);
  return text;
}
