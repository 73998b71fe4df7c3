import type { Money } from '../../common/money';
import type { ModelFacts, StatedPrice, StatedRates } from '../providers/model-facts';
import { addDays, hasEnded, periodOn, priceAt, type Model, type PricePeriod, type Rates } from './catalog';
import type { Asked, Source } from './catalog-sources';
import { isSameModel } from './same-model';
import { DAY_MS } from '../../common/clock';

/** Kinds of findings; `unasked` is a source that gave no answer. */
export const FINDING_KINDS = [
  'missing',
  'unlisted',
  'retired',
  'end',
  'limits',
  'efforts',
  'price',
  'unasked',
] as const;

export interface CatalogVerdict {
  model: string;
  source: string;
  /** `equal` and `unknown` are no findings. */
  kind: (typeof FINDING_KINDS)[number] | 'equal' | 'unknown';
  /** Contains no text of a source but numbers, days and efforts. */
  message: string;
}

const NOTICE_DAYS = 30;
/** Older models that the catalog lacks were left out on purpose. */
const NEW_DAYS = 180;
/** Models that do something else than write, by their usual names. */
const OTHER_KINDS =
  /embed|image|imagen|audio|tts|speech|voice|whisper|transcri|realtime|live|moderation|guard|dall-e|sora|video|veo|lyria|ocr|rerank|search|robotics|computer-use|aqa/i;
/** Sources of which the catalog has a selection. */
const SELECTIONS: readonly string[] = ['openrouter', 'local'];

export function verdictsOn(catalog: readonly Model[], { sources, unasked }: Asked, now: Date): CatalogVerdict[] {
  const models = catalog.filter((model) => !hasEnded(model, now));
  return [
    ...unasked.map(({ name, reason }): CatalogVerdict => ({
      model: '-',
      source: name,
      kind: 'unasked',
      message: reason,
    })),
    ...models.flatMap((model) => [
      ...knownEnd(model, now),
      ...sources.filter(({ vendor }) => vendor === model.vendor).flatMap((source) => compare(model, source, now)),
    ]),
    ...sources.flatMap((source) => unlisted(catalog, source, now)),
  ];
}

export function findingsOf(verdicts: readonly CatalogVerdict[]): CatalogVerdict[] {
  return verdicts.filter(({ kind }) => kind !== 'equal' && kind !== 'unknown');
}

/** The facts of a source about a model: under its name, else under a dated or versioned form of it. */
export function factsOn(
  model: Pick<Model, 'vendorModel' | 'aliases'>,
  { models }: Pick<Source, 'models'>,
): ModelFacts | undefined {
  const bare = (id: string) => id.replace(/^models\//, '');
  return models.find(({ id }) => bare(id) === model.vendorModel) ?? models.find(({ id }) => isSameModel(id, model));
}

/**
 * Models of a vendor's list that write text and that the catalog does not have. Lists without days have older ones too.
 */
function unlisted(catalog: readonly Model[], { name, vendor, isVendor, models }: Source, now: Date): CatalogVerdict[] {
  if (!isVendor || SELECTIONS.includes(vendor)) return [];
  const known = catalog.filter((model) => model.vendor === vendor);
  const isNew = (day: string | undefined) => day === undefined || now.getTime() - Date.parse(day) < NEW_DAYS * DAY_MS;
  return models.flatMap(({ id, listedSince, isRetired }) => {
    const isOther = isRetired === true || !isNew(listedSince) || !/^[\w./:@-]{1,100}$/.test(id) || OTHER_KINDS.test(id);
    if (isOther || known.some((model) => isSameModel(id, model))) return [];
    return [
      {
        model: id.replace(/^models\//, ''),
        source: name,
        kind: 'unlisted' as const,
        message: `is not in the catalog; ${listedSince === undefined ? 'the vendor gives no day' : `listed since ${listedSince}`}`,
      },
    ];
  });
}

function knownEnd({ id, deprecation }: Model, now: Date): CatalogVerdict[] {
  return deprecation === undefined || !isNear(deprecation.on, now)
    ? []
    : [{ model: id, source: 'catalog', kind: 'end', message: `ends on ${deprecation.on}` }];
}

function isNear(day: string, now: Date): boolean {
  return Date.parse(day) - now.getTime() < NOTICE_DAYS * DAY_MS;
}

function compare(model: Model, source: Source, now: Date): CatalogVerdict[] {
  const facts = factsOn(model, source);
  const verdict = (kind: CatalogVerdict['kind'], message: string): CatalogVerdict => ({
    model: model.id,
    source: source.name,
    kind,
    message,
  });
  if (facts === undefined)
    return [
      source.isVendor ? verdict('missing', 'is not in the list of its vendor') : verdict('unknown', 'is not there'),
    ];
  if (facts.isRetired === true)
    return [verdict('retired', `is retired${facts.end === undefined ? '' : ` since ${facts.end}`}`)];
  // Tables round limits and copy efforts; they are asked for prices.
  const ofVendor = source.isVendor
    ? ([
        ['end', endDifferences(model, facts, now)],
        ['limits', limitDifferences(model, facts)],
        ['efforts', effortDifferences(model, facts)],
      ] as const)
    : [];
  const groups = [...ofVendor, ['price', priceDifferences(model, facts.prices ?? [], now)] as const];
  const findings = groups.flatMap(([kind, differences]) => differences.map((difference) => verdict(kind, difference)));
  return findings.length > 0 ? findings : [verdict('equal', facts.prices === undefined ? 'states no price' : '')];
}

function endDifferences({ deprecation }: Model, { end }: ModelFacts, now: Date): string[] {
  if (end !== undefined && end !== deprecation?.on) return [`ends on ${end}, here ${deprecation?.on ?? 'never'}`];
  return end !== undefined && isNear(end, now) ? [`ends on ${end}`] : [];
}

function limitDifferences(model: Model, { contextWindow, maxOutputTokens }: ModelFacts): string[] {
  return [
    ...difference('context window', model.contextWindow, contextWindow),
    ...difference('output limit', model.maxOutputTokens, maxOutputTokens),
  ];
}

function effortDifferences({ reasoning }: Model, { efforts, defaultEffort, isMandatory }: ModelFacts): string[] {
  // Of `none`, only `mandatory` is comparable: vendors have several ways to switch thinking off.
  const words = (list: readonly string[]) =>
    list
      .filter((effort) => effort !== 'none')
      .toSorted()
      .join(' ') || 'none';
  return [
    ...difference('efforts', words(reasoning?.efforts ?? []), efforts && words(efforts)),
    ...difference('default effort', reasoning?.default ?? null, defaultEffort),
    ...difference(
      'thinking is mandatory',
      String(reasoning?.mandatory ?? false),
      isMandatory === undefined ? undefined : String(isMandatory),
    ),
  ];
}

function difference(name: string, ours: string | number | null, theirs: string | number | undefined): string[] {
  return theirs === undefined || theirs === ours ? [] : [`${name} ${theirs}, here ${ours ?? 'none'}`];
}

/** Compares today and on every announced day, at each hour at which a price begins or ends. */
function priceDifferences(model: Model, stated: readonly StatedPrice[], now: Date): string[] {
  const today = now.toISOString().slice(0, 10);
  const later = stated.flatMap(({ from }) => (from !== undefined && from > today ? [from] : []));
  const hasHours = stated.some(({ hours }) => hours !== undefined);
  // A table without hours states the price of all others.
  const ours = hasHours ? model : { prices: model.prices.map((period) => ({ ...period, hours: undefined })) };
  const seen = new Set<string>();
  return [today, ...new Set(later)].flatMap((date) => {
    const day = hasHours ? dayOfHours(model.prices, date) : date;
    const hours = hasHours
      ? [...stated.map((price) => price.hours), ...(periodOn(model.prices, day)?.hours ?? [])]
      : [];
    const times = new Set(
      ['00:00', ...hours.flatMap((span) => (span === undefined ? [] : [span.from, span.until]))].filter(
        (time) => time !== '24:00',
      ),
    );
    return [...times].flatMap((time) => {
      const [price, theirs] = [
        priceAt(ours, new Date(`${day}T${time}:00Z`)),
        stated.findLast((one) => holds(one, day, time)),
      ];
      const differences =
        theirs === undefined ? [] : price === undefined ? ['has no price here'] : rateDifferences(price, theirs);
      const fresh = differences.filter((text) => !seen.has(text) && seen.add(text));
      return fresh.map(
        (text) => `${text}${date === today ? '' : ` (from ${date})`}${hasHours ? ` (at ${time} UTC)` : ''}`,
      );
    });
  });
}

/** The first day from `date` on on which hours with weekdays hold: tables know no weekdays. */
function dayOfHours(prices: readonly PricePeriod[], date: string): string {
  const fits = (day: string) =>
    periodOn(prices, day)?.hours?.every(({ weekdays }) => weekdays?.includes(new Date(day).getUTCDay()) ?? true) ??
    true;
  return Array.from({ length: 7 }, (_, index) => addDays(date, index)).find(fits) ?? date;
}

function holds({ from = '', hours }: StatedPrice, day: string, time: string): boolean {
  if (day < from || hours === undefined) return day >= from;
  return hours.from < hours.until ? hours.from <= time && time < hours.until : hours.from <= time || time < hours.until;
}

function rateDifferences(
  ours: Rates & { longContext?: (Rates & { aboveInputTokens: number }) | undefined },
  theirs: StatedPrice,
): string[] {
  const [mine, yours] = [ours.longContext, theirs.longContext];
  const threshold = difference('long context above', mine?.aboveInputTokens ?? null, yours?.aboveInputTokens);
  const long =
    mine === undefined || yours === undefined ? [] : ratesOf(mine, yours).map((text) => `long context: ${text}`);
  return [...ratesOf(ours, theirs), ...threshold, ...long];
}

function ratesOf(ours: Rates, theirs: StatedRates): string[] {
  const { input, cachedInput = input, cacheWrite = input, output } = ours;
  const rate = (name: string, mine: Money, yours: string | undefined) => difference(name, mine.toString(), yours);
  return [
    ...rate('input', input, theirs.input),
    ...rate('cached input', cachedInput, theirs.cachedInput),
    ...rate('cache write', cacheWrite, theirs.cacheWrite),
    ...rate('output', output, theirs.output),
  ];
}
