import fc from 'fast-check';
import { CatalogueError, overlaid, priceAt, ratesFor, readCatalogue, type Model, type Price, type Rates } from './catalogue';
import shipped from './catalogue.json';

const PRICE = { from: '2026-01-01', input: '0.15', output: '0.6' };
const MODEL = {
  id: 'tiny-1', name: 'Tiny 1', provider: 'Tiny', vendor: 'simulator', vendorModel: 'tiny-1-0', contextWindow: 128_000, maxOutputTokens: 16_384,
  accepts: { temperature: { min: 0, max: 2 } }, dialect: { maxTokensField: 'max_tokens' }, prices: [PRICE], source: { what: 'price page', seen: '2026-11-20' },
};

function read(...models: object[]): Model[] {
  return readCatalogue(models.map((changes) => ({ ...MODEL, ...changes })));
}

function only(changes: object): Model {
  const [model] = read(changes);
  if (model === undefined) throw new Error('There is no model.');
  return model;
}

/** What the catalogue complains about. */
function complaint(...models: object[]): string {
  try {
    read(...models);
  } catch (error) {
    expect(error).toBeInstanceOf(CatalogueError);
    return (error as CatalogueError).message;
  }
  throw new Error('This catalogue was accepted.');
}

function dollars(rates: Rates | undefined): object {
  return { input: rates?.input.toString(), cachedInput: rates?.cachedInput?.toString(), cacheWrite: rates?.cacheWrite?.toString(), output: rates?.output.toString() };
}

/** A price for these days, told apart by its input rate. */
const period = (input: string, from: string, until?: string) => ({ ...PRICE, input, from, ...(until !== undefined && { until }) });

describe('the shipped catalogue', () => {
  const models = readCatalogue(shipped);

  test('is usable and holds the models of OpenAI and Anthropic', () => {
    for (const vendor of ['openai', 'anthropic']) expect(models.some((model) => model.vendor === vendor)).toBe(true);
  });

  test('offers four simulated models under the label simulator, all with prices above zero', () => {
    const simulated = models.filter(({ vendor }) => vendor === 'simulator');
    expect(simulated).toHaveLength(4);
    for (const { id, provider, prices } of simulated) {
      expect(id).toMatch(/^sim-/);
      expect(provider).toBe('simulator');
      for (const { input, output } of prices) expect([input, output].map(String)).not.toContain('0');
    }
  });

  test('marks these models as covered by the free quota, and no other', () => {
    expect(models.filter(({ free }) => free).map(({ id }) => id).sort()).toEqual([
      'claude-haiku-5-5', 'deepseek-flash', 'gemini-2.5-flash-lite', 'gpt-6-luna', 'grok-4.20-0309-non-reasoning', 'groq/gpt-oss-20b',
      'ministral-8b-2512', 'openrouter/minimax-m3', 'sim-quill', 'sim-sage', 'sim-swift', 'sim-titan',
    ]);
  });

  test('has a price for every model on the day it was looked up', () => {
    for (const model of models) expect({ id: model.id, price: priceAt(model, new Date(`${model.source.seen}T12:00:00Z`)) }).toEqual({ id: model.id, price: expect.anything() as unknown });
  });

  test('never asks for more output than the context holds, and never charges less for output than for cached input', () => {
    for (const model of models) {
      expect(model.maxOutputTokens ?? 0).toBeLessThanOrEqual(model.contextWindow ?? Number.POSITIVE_INFINITY);
      for (const { cachedInput, output } of model.prices) expect((cachedInput ?? output).compare(output)).toBeLessThanOrEqual(0);
    }
  });
});

describe('a catalogue', () => {
  test('is read with exact prices and with what may be absent filled in', () => {
    const model = only({});
    expect(model).toMatchObject({ id: 'tiny-1', free: false });
    expect(dollars(model.prices[0])).toEqual({ input: '0.15', cachedInput: undefined, cacheWrite: undefined, output: '0.6' });
  });

  test('may be empty', () => {
    expect(readCatalogue([])).toEqual([]);
  });

  test.each<[string, object]>([
    ['a price that is a number, which may be a float', { prices: [{ ...PRICE, input: 0.15 }] }],
    ['a negative price', { prices: [{ ...PRICE, output: '-1' }] }],
    ['a price with an exponent', { prices: [{ ...PRICE, output: '1e-3' }] }],
    ['a price with more than six decimals', { prices: [{ ...PRICE, output: '0.0000001' }] }],
    ['an empty price', { prices: [{ ...PRICE, output: '' }] }],
    ['no output price', { prices: [{ from: '2026-01-01', input: '1' }] }],
    ['no price at all', { prices: [] }],
    ['a price without a first day', { prices: [{ input: '1', output: '1' }] }],
    ['a day that is none', { prices: [{ ...PRICE, from: '2026-02-30' }] }],
    ['a long context without an output price', { prices: [{ ...PRICE, longContext: { aboveInputTokens: 200_000, input: '1' } }] }],
    ['a long context from no tokens', { prices: [{ ...PRICE, longContext: { aboveInputTokens: 0, input: '1', output: '1' } }] }],
    ['an unknown vendor', { vendor: 'nobody' }],
    ['an unknown member', { colour: 'red' }],
    ['an id with blanks', { id: 'tiny 1' }],
    ['an empty id', { id: '' }],
    ['an empty name', { name: '' }],
    ['a context of no tokens', { contextWindow: 0 }],
    ['an unknown name of the output limit', { dialect: { maxTokensField: 'max' } }],
    ['a source without its day', { source: { what: 'price page' } }],
  ])('is refused for %s', (_, changes) => {
    expect(complaint(changes)).toMatch(/^The model catalogue is not usable:\n {2}- \S/);
  });

  test.each([null, {}, 'models', [null], [5]])('is refused when it is %j', (data) => {
    expect(() => readCatalogue(data)).toThrow(CatalogueError);
  });

  test('is refused for an id that stands there twice', () => {
    expect(complaint({}, { id: 'tiny-2' }, {})).toContain('tiny-1: stands there twice');
  });

  test('is refused with all of its faults named', () => {
    const message = complaint({ prices: [period('1', '2026-01-01'), period('2', '2026-03-01')] }, { id: 'tiny-2' }, { id: 'tiny-2' });
    expect(message).toContain('tiny-1: ');
    expect(message).toContain('tiny-2: ');
  });
});

describe('a price of zero', () => {
  const zero = { ...PRICE, input: '0', output: '0.000000' };

  test('is for local models only', () => {
    expect(complaint({ prices: [zero] })).toMatch(/tiny-1: .*zero/);
    expect(complaint({ prices: [{ ...PRICE, output: '0' }] })).toContain('zero');
    expect(only({ vendor: 'local', prices: [zero] }).prices).toHaveLength(1);
  });

  test.each<[string, object]>([
    ['a long context', { longContext: { aboveInputTokens: 200_000, input: '0', output: '0' } }],
    ['some hours', { hours: [{ from: '16:00', until: '24:00', input: '0', output: '0' }] }],
  ])('does not slip in by way of %s', (_, more) => {
    expect(complaint({ prices: [{ ...PRICE, ...more }] })).toContain('zero');
  });
});

describe('one catalogue over another', () => {
  test('replaces entries of the same id whole, in their place, and adds the others', () => {
    const base = read({ id: 'a', name: 'old' }, { id: 'b', name: 'kept' });
    const over = read({ id: 'c', name: 'added' }, { id: 'a', name: 'new', free: true });
    expect(overlaid(base, over).map(({ id, name, free }) => [id, name, free])).toEqual([['a', 'new', true], ['b', 'kept', false], ['c', 'added', false]]);
    expect(base.map(({ name }) => name)).toEqual(['old', 'kept']);
  });
});

describe('price periods', () => {
  test.each<[string, object[], RegExp]>([
    ['share a day', [period('1', '2026-01-01', '2026-02-28'), period('2', '2026-02-28')], /overlap/],
    ['lie in one another', [period('1', '2026-01-01', '2026-12-31'), period('2', '2026-02-01', '2026-03-01')], /overlap/],
    ['go on when the next one begins', [period('1', '2026-01-01'), period('2', '2026-03-01')], /overlap/],
    ['stand in the wrong order', [period('2', '2026-03-01'), period('1', '2026-01-01', '2026-02-28')], /overlap/],
    ['leave out a day', [period('1', '2026-01-01', '2026-02-27'), period('2', '2026-03-01')], /no price between 2026-02-27 and 2026-03-01/],
    ['leave out the leap day', [period('1', '2028-01-01', '2028-02-28'), period('2', '2028-03-01')], /no price between/],
    ['leave out a day further back', [period('1', '2026-01-01', '2026-01-31'), period('2', '2026-02-01', '2026-02-27'), period('3', '2026-03-01')], /no price between/],
    ['end before they begin', [period('1', '2026-02-01', '2026-01-31')], /ends before it begins/],
  ])('that %s are refused', (_, prices, fault) => {
    const message = complaint({ prices });
    expect(message).toMatch(fault);
    expect(message).toContain('tiny-1: ');
  });

  test.each<[string, object[]]>([
    ['over the end of February', [period('1', '2026-01-01', '2026-02-28'), period('2', '2026-03-01')]],
    ['over a leap day', [period('1', '2028-01-01', '2028-02-29'), period('2', '2028-03-01')]],
    ['over New Year', [period('1', '2026-01-01', '2026-12-31'), period('2', '2027-01-01')]],
    ['of a single day', [period('1', '2026-01-01', '2026-01-01'), period('2', '2026-01-02')]],
    ['with an end for a model that is withdrawn', [period('1', '2026-01-01', '2026-06-30')]],
  ])('that follow each other %s are fine', (_, prices) => {
    expect(only({ prices }).prices).toHaveLength(prices.length);
  });
});

describe('the price at an instant', () => {
  const model = only({ prices: [period('1', '2026-01-01', '2026-02-28'), period('2', '2026-03-01', '2026-06-30')] });

  test.each([
    ['2025-12-31T23:59:59.999Z', undefined],
    ['2026-01-01T00:00:00.000Z', '1'],
    ['2026-02-28T23:59:59.999Z', '1'],
    ['2026-03-01T00:00:00.000Z', '2'],
    ['2026-03-01T01:00:00.000+02:00', '1'],
    ['2026-06-30T23:59:59.999Z', '2'],
    ['2026-07-01T00:00:00.000Z', undefined],
  ])('%s is the one of that UTC day: %p', (instant, input) => {
    expect(priceAt(model, new Date(instant))?.input.toString()).toBe(input);
  });

  test('without an end goes on for ever', () => {
    expect(priceAt(only({}), new Date('2999-12-31T23:59:59Z'))?.input.toString()).toBe('0.15');
  });

  test('is there on every day between the first and the last of periods that were accepted', () => {
    const first = Date.parse('2026-01-01T00:00:00Z');
    const last = Date.parse('2026-06-30T23:59:59.999Z');
    fc.assert(fc.property(fc.integer({ min: first, max: last }), (instant) => priceAt(model, new Date(instant)) !== undefined));
  });
});

describe('the price at an hour of the UTC day', () => {
  const hours = [{ from: '16:30', until: '24:00', input: '0.5', output: '1' }, { from: '00:00', until: '00:30', input: '0.7', output: '1' }, { weekdays: [0, 6], from: '08:00', until: '09:00', input: '0.9', output: '1' }];
  const model = only({ prices: [{ ...PRICE, hours }] });

  // 20 November 2026 is a Friday.
  test.each([
    ['2026-11-20T16:29:59.999Z', '0.15'],
    ['2026-11-20T16:30:00.000Z', '0.5'],
    ['2026-11-20T23:59:59.999Z', '0.5'],
    ['2026-11-21T00:00:00.000Z', '0.7'],
    ['2026-11-21T00:29:59.999Z', '0.7'],
    ['2026-11-21T00:30:00.000Z', '0.15'],
    ['2026-11-20T08:30:00.000Z', '0.15'],
    ['2026-11-21T08:30:00.000Z', '0.9'],
    ['2026-11-22T08:59:59.999Z', '0.9'],
    ['2026-11-22T23:30:00.000-09:00', '0.15'],
    ['2026-11-20T18:00:00.000+02:00', '0.15'],
  ])('%s is %s', (instant, input) => {
    expect(priceAt(model, new Date(instant))?.input.toString()).toBe(input);
  });

  test.each<[string, object[]]>([
    ['end before they begin, and so would never hold', [{ from: '22:00', until: '02:00', input: '1', output: '1' }]],
    ['overlap, and so leave open which price holds', [{ from: '08:00', until: '12:00', input: '1', output: '1' }, { from: '11:00', until: '13:00', input: '2', output: '1' }]],
  ])('is not left to hours that %s', (_, unclear) => {
    expect(complaint({ prices: [{ ...PRICE, hours: unclear }] })).toContain('tiny-1');
  });

  test.each(['24:01', '25:00', '8:00', '12:60', 'noon'])('does not come from the hour %s', (until) => {
    expect(complaint({ prices: [{ ...PRICE, hours: [{ from: '00:00', until, input: '1', output: '1' }] }] })).toContain('HH:MM');
  });
});

describe('the rates for a prompt', () => {
  const long = { aboveInputTokens: 200_000, input: '2.5', cachedInput: '0.25', output: '15' };
  const price = only({ prices: [{ ...PRICE, input: '1.25', output: '10', longContext: long }] }).prices[0] as Price;

  test.each([
    [0, '1.25', '10'],
    [199_999, '1.25', '10'],
    [200_000, '1.25', '10'],
    [200_001, '2.5', '15'],
    [1_000_000, '2.5', '15'],
  ])('of %d tokens are %s in and %s out', (tokens, input, output) => {
    expect(dollars(ratesFor(price, tokens))).toMatchObject({ input, output });
  });

  test('above the limit are all those of the long context, cached ones too', () => {
    expect(dollars(ratesFor(price, 200_001))).toEqual({ input: '2.5', cachedInput: '0.25', cacheWrite: undefined, output: '15' });
    expect(dollars(ratesFor(price, 200_000))).toEqual({ input: '1.25', cachedInput: undefined, cacheWrite: undefined, output: '10' });
  });

  test('are the same for every size where there is no long context', () => {
    const plain = only({}).prices[0] as Price;
    expect(dollars(ratesFor(plain, 10_000_000))).toMatchObject({ input: '0.15', output: '0.6' });
  });
});
