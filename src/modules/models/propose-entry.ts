import { OperatorError } from '../../common/operator-error';
import type { ModelFacts, StatedPrice, StatedRates } from '../providers/model-facts';
import { addDays, readCatalog, type Model } from './catalog';
import type { Source } from './catalog-sources';
import { factsOn } from './catalog-verdicts';

/**
 * A catalog entry of a vendor's model from these sources, marked as unverified: a person has to review it. The vendor's
 * first entry of the catalog shows how it is called. @throws OperatorError, CatalogError
 */
export function proposeEntry(
  vendor: string,
  vendorModel: string,
  sources: readonly Source[],
  catalog: readonly Model[],
  today: string,
): object {
  const like = catalog.find((model) => model.vendor === vendor);
  if (like === undefined) throw new OperatorError(`${vendor} is no vendor of the catalog.`);
  const known = sources
    .filter((source) => source.vendor === vendor)
    .flatMap((source) => {
      const facts = factsOn({ vendorModel, aliases: [] }, source);
      return facts === undefined ? [] : [{ source: source.name, facts }];
    });
  if (known.length === 0)
    throw new OperatorError(
      `No source knows ${vendorModel} of ${vendor}; set the key of the vendor, or give --prices.`,
    );
  const facts = firstOf(known.map((one) => one.facts));
  if (facts.prices === undefined) throw new OperatorError(`No source states a price of ${vendorModel}; give --prices.`);
  const bare = vendorModel.slice(vendorModel.lastIndexOf('/') + 1);
  const entry = {
    id: like.id.includes('/') ? `${vendor}/${bare}` : bare,
    name: facts.name ?? bare,
    provider: like.provider,
    vendor,
    vendorModel,
    ...abilitiesOf(facts, like),
    dialect: like.dialect,
    prices: periodsOf(facts.prices, today),
    ...(facts.end !== undefined && { deprecation: { on: facts.end } }),
    source: {
      what: known.map(({ source }) => (source === vendor ? `Models API of ${vendor}` : source)).join('; '),
      seen: today,
    },
    unverified: true,
  };
  readCatalog([entry]);
  return entry;
}

/** Each fact from the first source that states it. */
function firstOf(all: readonly ModelFacts[]): Partial<ModelFacts> {
  return Object.assign(
    {},
    ...all
      .toReversed()
      .map((facts) => Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined))),
  ) as Partial<ModelFacts>;
}

function abilitiesOf(facts: Partial<ModelFacts>, like: Model): object {
  const {
    efforts = [],
    defaultEffort,
    isMandatory,
    contextWindow,
    maxOutputTokens,
    takesTemperature,
    takesSchemas,
  } = facts;
  const [mandatory, levels] = [isMandatory ?? !efforts.includes('none'), efforts.filter((effort) => effort !== 'none')];
  return {
    contextWindow: contextWindow ?? null,
    maxOutputTokens: maxOutputTokens ?? null,
    accepts: {
      temperature: takesTemperature === false ? null : like.accepts.temperature,
      ...(takesSchemas === true && { responseFormat: 'json_schema' }),
    },
    ...(efforts.length > 0 && {
      reasoning: { efforts: mandatory ? levels : ['none', ...levels], default: defaultEffort ?? null, mandatory },
    }),
  };
}

/** The price of today and the announced ones, each with the hours that the source states. */
function periodsOf(prices: readonly StatedPrice[], today: string): object[] {
  const base = prices.filter(({ hours }) => hours === undefined);
  const current = base.findLast(({ from = '' }) => from <= today);
  const later = base
    .filter(({ from = '' }) => from > today)
    .toSorted((left, right) => ((left.from ?? '') < (right.from ?? '') ? -1 : 1));
  const hours = prices.flatMap(({ hours: span, ...rates }) =>
    span === undefined ? [] : withinDay(span).map((part) => ({ ...part, ...ratesOf(rates) })),
  );
  return [...(current === undefined ? [] : [{ ...current, from: today }]), ...later].map((price, index, all) => ({
    from: price.from,
    ...(index < all.length - 1 && { until: addDays(all[index + 1]?.from ?? today, -1) }),
    ...ratesOf(price),
    ...(price.longContext !== undefined && {
      longContext: { aboveInputTokens: price.longContext.aboveInputTokens, ...ratesOf(price.longContext) },
    }),
    ...(hours.length > 0 && { hours }),
  }));
}

function ratesOf({ input, cachedInput, cacheWrite, output }: StatedRates): object {
  return { input, cachedInput, cacheWrite, output };
}

function withinDay({ from, until }: { from: string; until: string }): { from: string; until: string }[] {
  return from < until
    ? [{ from, until }]
    : [
        { from, until: '24:00' },
        { from: '00:00', until },
      ].filter((span) => span.from < span.until);
}
