import { z } from 'zod';
import { Money } from '../common/money';
import { VENDORS } from '../providers/provider';

const usd = z.string().regex(/^\d+(\.\d{1,6})?$/, 'must be dollars with at most six decimals, as a string').transform((dollars) => Money.of(dollars));
const day = z.iso.date();
const tokens = z.int().positive();

const rates = {
  input: usd,
  cachedInput: usd.optional(),
  cacheWrite: usd.optional(),
  output: usd,
};

const pricePeriod = z.strictObject({
  from: day,
  until: day.optional(),
  ...rates,
  longContext: z.strictObject({ aboveInputTokens: tokens, ...rates }).optional(),
});

const model = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9._/:-]{0,99}$/),
  name: z.string().min(1),
  provider: z.string().min(1),
  vendor: z.enum(VENDORS),
  vendorModel: z.string().min(1),
  contextWindow: tokens,
  maxOutputTokens: tokens,
  accepts: z.strictObject({ temperature: z.strictObject({ min: z.number(), max: z.number() }).nullable() }),
  dialect: z.strictObject({ maxTokensField: z.enum(['max_tokens', 'max_completion_tokens']), apiVersion: z.string().optional() }),
  free: z.boolean().default(false),
  prices: z.array(pricePeriod).min(1),
  deprecation: z.strictObject({ on: day, successor: z.string().optional() }).optional(),
  source: z.strictObject({ what: z.string().min(1), seen: day }),
});

/** Prices of one million tokens each, in US dollars; absent cache rates mean the input rate. */
export interface Rates {
  input: Money;
  cachedInput?: Money | undefined;
  cacheWrite?: Money | undefined;
  output: Money;
}

/** The prices of one span of UTC days, first and last included; without `until` it is still running. */
export type PricePeriod = z.output<typeof pricePeriod>;

/** A model that can be offered: what it is, what it takes and what it costs. */
export type Model = z.output<typeof model>;

/** The catalogue cannot be used; the message names each fault. */
export class CatalogueError extends Error {
  constructor(faults: readonly string[]) {
    super(`The model catalogue is not usable:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'CatalogueError';
  }
}

/** Checks catalogue data as a whole: schema, unique ids, price periods without gap or overlap. @throws CatalogueError */
export function readCatalogue(data: unknown): Model[] {
  const parsed = z.array(model).safeParse(data);
  if (!parsed.success) {
    throw new CatalogueError(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
  }
  const models = parsed.data;
  const faults = [...duplicateIds(models), ...models.flatMap(({ id, prices }) => periodFaults(prices).map((fault) => `${id}: ${fault}`))];
  if (faults.length > 0) throw new CatalogueError(faults);
  return models;
}

/** The prices that hold at an instant; undefined when the catalogue has none for that day. */
export function priceAt(candidate: Model, instant: Date): PricePeriod | undefined {
  const today = instant.toISOString().slice(0, 10);
  return candidate.prices.find(({ from, until }) => from <= today && (until === undefined || today <= until));
}

/** The rates for a prompt of that size: long prompts cost more at some vendors, for all of their tokens. */
export function ratesFor(price: PricePeriod, inputTokens: number): Rates {
  const { longContext } = price;
  return longContext !== undefined && inputTokens > longContext.aboveInputTokens ? longContext : price;
}

function duplicateIds(models: readonly Model[]): string[] {
  const seen = new Set<string>();
  return models.flatMap(({ id }) => {
    if (seen.has(id)) return [`${id}: stands there twice`];
    seen.add(id);
    return [];
  });
}

function periodFaults(prices: readonly PricePeriod[]): string[] {
  return prices.flatMap((period, index) => {
    const next = prices[index + 1];
    if (period.until !== undefined && period.until < period.from) return [`the price from ${period.from} ends before it begins`];
    if (next === undefined) return [];
    if (period.until === undefined || next.from <= period.until) return [`the prices from ${period.from} and ${next.from} overlap`];
    return next.from === dayAfter(period.until) ? [] : [`there is no price between ${period.until} and ${next.from}`];
  });
}

function dayAfter(date: string): string {
  const instant = new Date(`${date}T00:00:00Z`);
  instant.setUTCDate(instant.getUTCDate() + 1);
  return instant.toISOString().slice(0, 10);
}
