import { CatalogueError, readCatalogue, type Model, type Rates } from '../../src/models/catalogue';

/** The price of an entry of the catalogue. */
export const PRICE = { from: '2026-01-01', input: '0.15', output: '0.6' };
/** An entry of the catalogue with all that it must have. */
export const MODEL = {
  id: 'tiny-1', name: 'Tiny 1', provider: 'Tiny', vendor: 'simulator', vendorModel: 'tiny-1-0', contextWindow: 128_000, maxOutputTokens: 16_384,
  accepts: { temperature: { min: 0, max: 2 } }, dialect: { maxTokensField: 'max_tokens' }, prices: [PRICE], source: { what: 'price page', seen: '2026-11-20' },
};

/** A catalogue of such entries, each with its changes. */
export function read(...models: object[]): Model[] {
  return readCatalogue(models.map((changes) => ({ ...MODEL, ...changes })));
}

/** The only model of a catalogue. */
export function only(changes: object): Model {
  const [model] = read(changes);
  if (model === undefined) throw new Error('There is no model.');
  return model;
}

/** What the catalogue complains about. */
export function complaint(...models: object[]): string {
  try {
    read(...models);
  } catch (error) {
    expect(error).toBeInstanceOf(CatalogueError);
    return (error as CatalogueError).message;
  }
  throw new Error('This catalogue was accepted.');
}

/** Rates as their digits. */
export function dollars(rates: Rates | undefined): object {
  return { input: rates?.input.toString(), cachedInput: rates?.cachedInput?.toString(), cacheWrite: rates?.cacheWrite?.toString(), output: rates?.output.toString() };
}

/** A price for these days, told apart by its input rate. */
export const period = (input: string, from: string, until?: string) => ({ ...PRICE, input, from, ...(until !== undefined && { until }) });
