import { z } from 'zod';
import { OperatorError } from '../../common/operator-error';
import {
  factEfforts,
  factText,
  factTokens,
  lenient,
  statedUsd,
  type ModelFacts,
  type StatedPrice,
  type StatedRates,
} from '../providers/model-facts';
import { VENDORS, type Vendor } from '../providers/provider';

/** Names of our vendors in the tables, where they differ. */
const VENDOR_OF_PROVIDER: Readonly<Record<string, Vendor>> = { google: 'gemini', 'x-ai': 'xai' };

const rateTable = z.record(z.string(), z.unknown());
const timeOfDay = z
  .string()
  .regex(/^\d{2}:\d{2}:\d{2}Z$/)
  .transform((time) => time.slice(0, 5));
const constraint = z.object({
  start_date: lenient(z.iso.date()),
  start_time: lenient(timeOfDay),
  end_time: lenient(timeOfDay),
});

/** genai-prices: a list of providers. */
const tieredRate = z.object({
  base: z.unknown(),
  tiers: z.array(z.object({ start: z.int().positive(), price: z.unknown() })).min(1),
});
const pydanticModel = z.object({
  id: z.string(),
  name: factText,
  context_window: factTokens,
  match: z.unknown().optional(),
  prices: z.union([rateTable, z.array(z.object({ constraint: constraint.nullish(), prices: rateTable }))]),
});
const pydanticTable = z.array(z.object({ id: z.string(), models: z.array(z.unknown()) }));

/** models.dev: an object of providers with an object of models each. */
const tier = z.looseObject({ tier: z.object({ size: z.int().positive() }) });
const modelsDevCost = z.looseObject({ tiers: lenient(z.array(tier)), context_over_200k: lenient(rateTable) });
const modelsDevModel = z.object({
  id: z.string(),
  name: factText,
  limit: lenient(z.object({ context: factTokens, output: factTokens })),
  cost: lenient(modelsDevCost),
  temperature: lenient(z.boolean()),
  structured_output: lenient(z.boolean()),
  reasoning_options: lenient(z.array(z.object({ type: factText, values: factEfforts }))),
});
const modelsDevTable = z.record(
  z.string(),
  z.object({ models: z.record(z.string(), z.unknown()) }).catch({ models: {} }),
);

/**
 * Reads a price table in the format of genai-prices or models.dev: the models of our vendors. @throws OperatorError if
 * it is neither
 */
export function readPriceTable(text: string): Map<Vendor, ModelFacts[]> {
  const data = parse(text);
  const [pydantic, modelsDev] = [pydanticTable.safeParse(data), modelsDevTable.safeParse(data)];
  const lists = pydantic.success
    ? pydantic.data.map(({ id, models }) => [id, models.flatMap(pydanticFacts)] as const)
    : Object.entries(modelsDev.data ?? {}).map(
        ([id, { models }]) => [id, Object.values(models).flatMap(modelsDevFacts)] as const,
      );
  const ours = lists.flatMap(([id, models]) => {
    const vendor = VENDOR_OF_PROVIDER[id] ?? VENDORS.find((name) => name === id);
    return vendor === undefined || models.length === 0 ? [] : [[vendor, models] as const];
  });
  if (ours.length === 0)
    throw new OperatorError('is no price table of genai-prices or models.dev with models of a known vendor');
  return new Map(ours);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new OperatorError('is not valid JSON');
  }
}

function pydanticFacts(item: unknown): ModelFacts[] {
  const model = pydanticModel.safeParse(item).data;
  if (model === undefined) return [];
  const steps = Array.isArray(model.prices) ? model.prices : [{ constraint: undefined, prices: model.prices }];
  const prices = steps.map(({ constraint: when, prices: rates }): StatedPrice => ({
    from: when?.start_date,
    hours:
      when?.start_time === undefined || when.end_time === undefined
        ? undefined
        : { from: when.start_time, until: when.end_time },
    ...pydanticRates(rates, (rate, tiered) => (tiered === undefined ? rate : tiered.base)),
    longContext: pydanticTiers(rates),
  }));
  return [model.id, ...wholeNames(model.match)].map((id) => ({
    id,
    name: model.name,
    contextWindow: model.context_window,
    prices,
  }));
}

type TieredRate = z.output<typeof tieredRate>;

function pydanticRates(
  rates: Record<string, unknown>,
  choose: (rate: unknown, tiered: TieredRate | undefined) => unknown,
): StatedRates {
  const rate = (name: string) => statedUsd(choose(rates[name], tieredRate.safeParse(rates[name]).data));
  return {
    input: rate('input_mtok'),
    cachedInput: rate('cache_read_mtok'),
    cacheWrite: rate('cache_write_mtok'),
    output: rate('output_mtok'),
  };
}

/** The rates above the lowest threshold. */
function pydanticTiers(rates: Record<string, unknown>): StatedPrice['longContext'] {
  const starts = Object.values(rates).flatMap(
    (rate) => tieredRate.safeParse(rate).data?.tiers.map(({ start }) => start) ?? [],
  );
  if (starts.length === 0) return undefined;
  const aboveInputTokens = starts.reduce((least, start) => Math.min(least, start));
  return {
    aboveInputTokens,
    ...pydanticRates(rates, (rate, tiered) =>
      tiered === undefined
        ? rate
        : (tiered.tiers.find(({ start }) => start === aboveInputTokens)?.price ?? tiered.base),
    ),
  };
}

/** The names in `{equals}` and `{or: [{equals}, …]}`. */
function wholeNames(match: unknown): string[] {
  const clauses = z.object({ or: z.array(z.unknown()) }).safeParse(match).data?.or ?? [match];
  return clauses.flatMap((clause) => z.object({ equals: z.string() }).safeParse(clause).data?.equals ?? []);
}

function modelsDevFacts(item: unknown): ModelFacts[] {
  const model = modelsDevModel.safeParse(item).data;
  if (model === undefined) return [];
  const { id, name, cost, limit, reasoning_options: options } = model;
  return [
    {
      id,
      name,
      contextWindow: limit?.context,
      maxOutputTokens: limit?.output,
      takesTemperature: model.temperature,
      takesSchemas: model.structured_output,
      efforts: options?.find(({ type }) => type === 'effort')?.values,
      prices: cost && [{ ...modelsDevRates(cost), longContext: modelsDevTier(cost) }],
    },
  ];
}

/** The rates above the lowest threshold; `context_over_200k` is the older form. */
function modelsDevTier({
  tiers = [],
  context_over_200k: old,
}: z.output<typeof modelsDevCost>): StatedPrice['longContext'] {
  const [lowest] = tiers.toSorted((left, right) => left.tier.size - right.tier.size);
  if (lowest !== undefined) return { aboveInputTokens: lowest.tier.size, ...modelsDevRates(lowest) };
  return old && { aboveInputTokens: 200_000, ...modelsDevRates(old) };
}

function modelsDevRates(cost: Record<string, unknown>): StatedRates {
  return {
    input: statedUsd(cost['input']),
    cachedInput: statedUsd(cost['cache_read']),
    cacheWrite: statedUsd(cost['cache_write']),
    output: statedUsd(cost['output']),
  };
}
