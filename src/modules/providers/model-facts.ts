import { z } from 'zod';
import { EFFORTS, type Effort } from '../../common/effort';
import { Money } from '../../common/money';

/** Rates per million tokens as a source states them, in USD as plain decimals; `unreadable` for anything else. */
export type StatedRates = Partial<Record<'input' | 'cachedInput' | 'cacheWrite' | 'output', string | undefined>>;

/**
 * A price with the first UTC day or the hours in which it holds. Of several that hold at an instant, the last one
 * counts.
 */
export interface StatedPrice extends StatedRates {
  from?: string | undefined;
  hours?: { from: string; until: string } | undefined;
  longContext?: (StatedRates & { aboveInputTokens: number }) | undefined;
}

/** Facts about a model from its vendor or a price table; undefined where the source does not say. */
export interface ModelFacts {
  /** The vendor's name of the model. */
  id: string;
  name?: string | undefined;
  /** The UTC day on which the vendor first listed it. */
  listedSince?: string | undefined;
  /** The first UTC day without the model. */
  end?: string | undefined;
  isRetired?: boolean | undefined;
  contextWindow?: number | undefined;
  maxOutputTokens?: number | undefined;
  efforts?: Effort[] | undefined;
  defaultEffort?: Effort | undefined;
  /** True if thinking cannot be switched off. */
  isMandatory?: boolean | undefined;
  takesTemperature?: boolean | undefined;
  takesSchemas?: boolean | undefined;
  prices?: StatedPrice[] | undefined;
}

/** A schema for members of hostile or newer answers: anything unexpected is the same as nothing. */
export const lenient = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);

export const factText = lenient(z.string().min(1).max(200));
export const factTokens = lenient(z.int().positive());
export const factDay = lenient(
  z
    .string()
    .max(40)
    .transform((text) => new Date(text))
    .refine((date) => !Number.isNaN(date.getTime()))
    .transform((date) => date.toISOString().slice(0, 10))
    .pipe(z.iso.date()),
);
/** The UTC day of a Unix time in seconds, until the year 9999. */
export const factSecond = lenient(
  z
    .int()
    .positive()
    .max(253_370_764_800)
    .transform((second) => new Date(second * 1000).toISOString().slice(0, 10)),
);
export const factEfforts = lenient(
  z.array(z.unknown()).transform((words) => EFFORTS.filter((effort) => words.includes(effort))),
);

/** An amount in USD per million tokens, from a number or a decimal text in `scale` dollars; undefined for nothing. */
export function statedUsd(value: unknown, scale: '1' | '1000000' = '1'): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string' && /^\d{1,6}(\.\d{1,30})?$/.test(value)) return Money.of(value).times(scale).toString();
  if (typeof value === 'number' && value >= 0 && value < 1e6)
    return Money.fromNumber(Number(value.toPrecision(12))).toString();
  return 'unreadable';
}
