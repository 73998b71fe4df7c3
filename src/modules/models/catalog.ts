import { z } from 'zod';
import { DAY_MS } from '../../common/clock';
import { EFFORTS } from '../../common/effort';
import { Money } from '../../common/money';
import { OperatorError } from '../../common/operator-error';
import { THINKING_FORMS, VENDORS } from '../providers/provider';

const usd = z
  .string()
  .regex(/^\d+(\.\d{1,6})?$/, 'must be a string with dollars and at most six decimals')
  .transform((dollars) => Money.of(dollars));
const day = z.iso.date();
const hour = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$|^24:00$/, 'must be a time of day in UTC, HH:MM');
const tokens = z.int().positive();

const rates = { input: usd, cachedInput: usd.optional(), cacheWrite: usd.optional(), output: usd };

const pricePeriod = z.strictObject({
  from: day,
  until: day.optional(),
  ...rates,
  longContext: z.strictObject({ aboveInputTokens: tokens, ...rates }).optional(),
  hours: z
    .array(z.strictObject({ weekdays: z.array(z.int().min(0).max(6)).optional(), from: hour, until: hour, ...rates }))
    .optional(),
});

/** Forms of an answer, the most precise first. */
export const RESPONSE_FORMATS = ['json_schema', 'json'] as const;

/** Room for thought above the default of max_tokens, for models that think before they write. */
const DEFAULT_ALLOWANCE_TOKENS = 2000;

const reasoning = z
  .strictObject({
    /**
     * The efforts that it accepts, in any order; `none` where it can be switched off. Only `none` means on or off,
     * without levels.
     */
    efforts: z.array(z.enum(EFFORTS)).min(1),
    /** The effort without the parameter; null where the vendor names none. */
    default: z.enum(EFFORTS).nullable(),
    /** True if it cannot be switched off. */
    mandatory: z.boolean(),
    /** Tokens for thought above max_tokens where the caller sets no limit. */
    allowance: tokens.default(DEFAULT_ALLOWANCE_TOKENS),
  })
  .refine(
    ({ efforts, mandatory }) => mandatory !== efforts.includes('none'),
    'is mandatory exactly if the effort none is not accepted',
  );

const model = z.strictObject({
  // An id with `@` would be read as a model at an effort.
  id: z
    .string()
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9._/:-]{0,99}$/,
      'must be 1 to 100 letters, digits and any of . _ / : -; an @ separates a model from an effort',
    ),
  name: z.string().min(1),
  provider: z.string().min(1),
  vendor: z.enum(VENDORS),
  vendorModel: z.string().min(1),
  contextWindow: tokens.nullable(),
  maxOutputTokens: tokens.nullable(),
  accepts: z.strictObject({
    temperature: z.strictObject({ min: z.number(), max: z.number() }).nullable(),
    /** The most precise form of `response_format` that it takes. */
    responseFormat: z.enum(RESPONSE_FORMATS).optional(),
  }),
  reasoning: reasoning.optional(),
  /** Other names under which the vendor may answer. */
  aliases: z.array(z.string().min(1)).default([]),
  dialect: z.strictObject({
    maxTokensField: z.enum(['max_tokens', 'max_completion_tokens']),
    apiVersion: z.string().optional(),
    thinking: z.enum(THINKING_FORMS).optional(),
  }),
  free: z.boolean().default(false),
  prices: z.array(pricePeriod).min(1),
  /** Absent for a released model. */
  stage: z.enum(['preview']).optional(),
  deprecation: z.strictObject({ on: day, successor: z.string().optional() }).optional(),
  source: z.strictObject({ what: z.string().min(1), seen: day }),
  /** True for a proposal that no person has reviewed; it is not served. */
  unverified: z.boolean().default(false),
});

/** Prices per million tokens in USD; a missing cache rate means the input rate. */
export interface Rates {
  input: Money;
  cachedInput?: Money | undefined;
  cacheWrite?: Money | undefined;
  output: Money;
}

/**
 * The prices in effect at one instant. With `longContext`, prompts above its size are priced at those rates for all of
 * their tokens.
 */
export interface Price extends Rates {
  longContext?: (Rates & { aboveInputTokens: number }) | undefined;
}

/**
 * The prices of a range of UTC days, both ends included; without `until` the range is open-ended. During `hours` of the
 * UTC day other rates apply.
 */
export type PricePeriod = z.output<typeof pricePeriod>;

export type Model = z.output<typeof model>;

/** The catalog is invalid; the message lists every fault. */
export class CatalogError extends OperatorError {
  constructor(readonly faults: readonly string[]) {
    super(`The model catalog is invalid:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'CatalogError';
  }
}

/**
 * Validates a whole catalog: schema, unique ids, and prices without gaps, overlaps or unintended zeros. @throws
 * CatalogError
 */
export function readCatalog(data: unknown): Model[] {
  const parsed = z.array(model).safeParse(data);
  if (!parsed.success) {
    throw new CatalogError(parsed.error.issues.map((issue) => `${nameOf(data, issue.path)}: ${issue.message}`));
  }
  const models = parsed.data;
  const faults = [
    ...duplicateIds(models),
    ...models.flatMap((entry) => priceFaults(entry).map((fault) => `${entry.id}: ${fault}`)),
  ];
  if (faults.length > 0) throw new CatalogError(faults);
  return models;
}

/** Merges two catalogs: an entry of `overrides` replaces the whole entry with the same id, others are added. */
export function mergeCatalogs(base: readonly Model[], overrides: readonly Model[]): Model[] {
  return [...new Map([...base, ...overrides].map((entry) => [entry.id, entry])).values()];
}

/** True if the model is discontinued on the UTC day of `instant`, according to the vendor's announcement. */
export function hasEnded({ deprecation }: Pick<Model, 'deprecation'>, instant: Date): boolean {
  return deprecation !== undefined && instant.toISOString().slice(0, 10) >= deprecation.on;
}

/** The prices in effect at an instant; undefined when the catalog has none for that day. */
export function priceAt({ prices }: Pick<Model, 'prices'>, instant: Date): Price | undefined {
  const iso = instant.toISOString();
  const [today, time] = [iso.slice(0, 10), iso.slice(11, 16)];
  const period = periodOn(prices, today);
  const hours = period?.hours?.find(
    ({ weekdays, from, until }) => from <= time && time < until && (weekdays?.includes(instant.getUTCDay()) ?? true),
  );
  return hours ?? period;
}

/** The period of a UTC day; undefined when the catalog has none for it. */
export function periodOn(prices: readonly PricePeriod[], day: string): PricePeriod | undefined {
  return prices.find(({ from, until }) => from <= day && (until === undefined || day <= until));
}

export interface PriceStep {
  /** First UTC day. */
  from: string;
  /** Last UTC day; null when no end is announced. */
  until: string | null;
  /** The hours of the UTC day to which this price is limited; null for all other hours. */
  hours: { weekdays: readonly number[] | null; from: string; until: string } | null;
  price: Price;
}

/**
 * The prices in effect on the UTC day of an instant and all announced later ones, oldest first; none from the day on
 * which the model ends.
 */
export function priceStepsFrom(
  { prices, deprecation }: Pick<Model, 'prices' | 'deprecation'>,
  instant: Date,
): PriceStep[] {
  const today = instant.toISOString().slice(0, 10);
  const lastDay = deprecation === undefined ? null : addDays(deprecation.on, -1);
  return prices.flatMap((period) => {
    const until = earlierDay(period.until ?? null, lastDay);
    if (until !== null && (until < today || until < period.from)) return [];
    const step = { from: period.from, until };
    const hours = (period.hours ?? []).map((span) => ({
      ...step,
      hours: { weekdays: span.weekdays ?? null, from: span.from, until: span.until },
      price: span,
    }));
    return [{ ...step, hours: null, price: period }, ...hours];
  });
}

export function ratesFor(price: Price, inputTokens: number): Rates {
  const { longContext } = price;
  return longContext !== undefined && inputTokens > longContext.aboveInputTokens ? longContext : price;
}

function nameOf(data: unknown, path: readonly PropertyKey[]): string {
  const [index, ...member] = path;
  const entry = Array.isArray(data) ? (data[Number(index)] as { id?: unknown } | undefined) : undefined;
  return [typeof entry?.id === 'string' ? entry.id : `entry ${String(index)}`, ...member.map(String)].join('.');
}

function duplicateIds(models: readonly Model[]): string[] {
  const seen = new Set<string>();
  return models.flatMap(({ id }) => {
    if (seen.has(id)) return [`${id}: is listed twice`];
    seen.add(id);
    return [];
  });
}

function priceFaults({ vendor, prices }: Model): string[] {
  const free = prices.filter((period) =>
    [period, period.longContext, ...(period.hours ?? [])].some((rates) => rates !== undefined && isZero(rates)),
  );
  return [
    ...(vendor === 'local'
      ? []
      : free.map(({ from }) => `the price from ${from} is zero, which only local models may have`)),
    ...prices.flatMap((period, index) => [...periodFaults(period, prices[index + 1]), ...hourFaults(period)]),
  ];
}

function isZero({ input, output }: Rates): boolean {
  return input.compare(Money.zero) === 0 || output.compare(Money.zero) === 0;
}

function hourFaults({ from, hours = [] }: PricePeriod): string[] {
  return hours.flatMap((span, index) => {
    if (span.until <= span.from)
      return [`in the price from ${from}, the hours from ${span.from} end before they start`];
    const clash = hours
      .slice(index + 1)
      .find((other) => span.from < other.until && other.from < span.until && shareADay(span.weekdays, other.weekdays));
    return clash === undefined
      ? []
      : [`in the price from ${from}, the hours from ${span.from} and ${clash.from} overlap`];
  });
}

function shareADay(left: readonly number[] | undefined, right: readonly number[] | undefined): boolean {
  return left === undefined || right === undefined || left.some((day) => right.includes(day));
}

function periodFaults({ from, until }: PricePeriod, next: PricePeriod | undefined): string[] {
  if (until !== undefined && until < from) return [`the price from ${from} ends before it starts`];
  if (next === undefined) return [];
  if (until === undefined || next.from <= until) return [`the prices from ${from} and ${next.from} overlap`];
  return next.from === addDays(until, 1) ? [] : [`there is no price between ${until} and ${next.from}`];
}

/** The UTC day that many days after another. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}

/** The earlier of two days, where null is never. */
function earlierDay(left: string | null, right: string | null): string | null {
  if (left === null || right === null) return left ?? right;
  return left < right ? left : right;
}
