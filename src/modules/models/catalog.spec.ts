import { EFFORTS } from '../../common/effort';
import { CatalogError, mergeCatalogs, priceAt, priceStepsFrom, readCatalog, type Model, type Rates } from './catalog';
import shipped from './catalog.json';

/** The price of an entry of the catalog. */
const PRICE = { from: '2026-01-01', input: '0.15', output: '0.6' };
/** An entry of the catalog with all that it must have. */
const MODEL = {
  id: 'tiny-1',
  name: 'Tiny 1',
  provider: 'Tiny',
  vendor: 'simulator',
  vendorModel: 'tiny-1-0',
  contextWindow: 128_000,
  maxOutputTokens: 16_384,
  accepts: { temperature: { min: 0, max: 2 } },
  dialect: { maxTokensField: 'max_tokens' },
  prices: [PRICE],
  source: { what: 'price page', seen: '2026-11-20' },
};

/** A catalog of such entries, each with its changes. */
function read(...models: object[]): Model[] {
  return readCatalog(models.map((changes) => ({ ...MODEL, ...changes })));
}

/** The only model of a catalog. */
function only(changes: object): Model {
  const [model] = read(changes);
  if (model === undefined) throw new Error('There is no model.');
  return model;
}

/** The problems that the catalog reports. */
function complaint(...models: object[]): string {
  try {
    read(...models);
  } catch (error) {
    expect(error).toBeInstanceOf(CatalogError);
    return (error as CatalogError).message;
  }
  throw new Error('This catalog was accepted.');
}

/** Rates as their digits. */
function dollars(rates: Rates | undefined): object {
  return {
    input: rates?.input.toString(),
    cachedInput: rates?.cachedInput?.toString(),
    cacheWrite: rates?.cacheWrite?.toString(),
    output: rates?.output.toString(),
  };
}

/** A price for these days, distinguished by its input rate. */
const period = (input: string, from: string, until?: string) => ({
  ...PRICE,
  input,
  from,
  ...(until !== undefined && { until }),
});

describe('The shipped catalog', () => {
  const models = () => readCatalog(shipped);

  test('is valid and contains the models of OpenAI and Anthropic', () => {
    for (const vendor of ['openai', 'anthropic']) expect(models().some((model) => model.vendor === vendor)).toBe(true);
  });

  test('offers four simulated models under the label simulator, all with prices above zero', () => {
    const simulated = models().filter(({ vendor }) => vendor === 'simulator');
    expect(simulated).toHaveLength(4);
    for (const { id, provider, prices } of simulated) {
      expect(id).toMatch(/^sim-/);
      expect(provider).toBe('simulator');
      for (const { input, output } of prices) expect([input, output].map(String)).not.toContain('0');
    }
  });

  test('marks these models as covered by the free quota, and no other', () => {
    expect(
      models()
        .filter(({ free }) => free)
        .map(({ id }) => id)
        .sort(),
    ).toEqual([
      'claude-haiku-5-5',
      'deepseek-flash',
      'gemini-2.5-flash-lite',
      'gpt-6-luna',
      'groq/gpt-oss-20b',
      'ministral-8b-2512',
      'openrouter/minimax-m3',
      'sim-quill',
      'sim-sage',
      'sim-swift',
      'sim-titan',
    ]);
  });

  test('lists efforts from least to most', () => {
    for (const { reasoning } of models())
      expect(reasoning?.efforts ?? []).toEqual(EFFORTS.filter((effort) => reasoning?.efforts.includes(effort)));
  });

  test('has a price for every model on the day it was looked up', () => {
    for (const model of models())
      expect({ id: model.id, price: priceAt(model, new Date(`${model.source.seen}T12:00:00Z`)) }).toEqual({
        id: model.id,
        price: expect.anything() as unknown,
      });
  });

  test('never asks for more output than the context holds, and never charges less for output than for cached input', () => {
    for (const model of models()) {
      expect(model.maxOutputTokens ?? 0).toBeLessThanOrEqual(model.contextWindow ?? Number.POSITIVE_INFINITY);
      for (const { cachedInput, output } of model.prices)
        expect((cachedInput ?? output).compare(output)).toBeLessThanOrEqual(0);
    }
  });
});

describe('A catalog', () => {
  test('is read with exact prices and with defaults for absent members', () => {
    const model = only({});
    expect(model).toMatchObject({ id: 'tiny-1', free: false });
    expect(dollars(model.prices[0])).toEqual({
      input: '0.15',
      cachedInput: undefined,
      cacheWrite: undefined,
      output: '0.6',
    });
  });

  test('may be empty', () => {
    expect(readCatalog([])).toEqual([]);
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
    [
      'a long context without an output price',
      { prices: [{ ...PRICE, longContext: { aboveInputTokens: 200_000, input: '1' } }] },
    ],
    [
      'a long context from no tokens',
      { prices: [{ ...PRICE, longContext: { aboveInputTokens: 0, input: '1', output: '1' } }] },
    ],
    ['a price with other text before it', { prices: [{ ...PRICE, input: '$1' }] }],
    ['a price with other text behind it', { prices: [{ ...PRICE, input: '1.5 USD' }] }],
    ['a price without the digits before its point', { prices: [{ ...PRICE, input: '.5' }] }],
    ['a price without the digits behind its point', { prices: [{ ...PRICE, input: '5.' }] }],
    ['an unknown member of a price', { prices: [{ ...PRICE, color: 'red' }] }],
    [
      'an unknown member of a long context',
      { prices: [{ ...PRICE, longContext: { aboveInputTokens: 1, input: '1', output: '1', color: 'red' } }] },
    ],
    [
      'an unknown member of hours',
      { prices: [{ ...PRICE, hours: [{ from: '01:00', until: '02:00', input: '1', output: '1', color: 'red' }] }] },
    ],
    [
      'an eighth day of the week',
      { prices: [{ ...PRICE, hours: [{ weekdays: [7], from: '01:00', until: '02:00', input: '1', output: '1' }] }] },
    ],
    [
      'a day before the first of the week',
      { prices: [{ ...PRICE, hours: [{ weekdays: [-1], from: '01:00', until: '02:00', input: '1', output: '1' }] }] },
    ],
    ['half a token', { maxOutputTokens: 0.5 }],
    ['an unknown vendor', { vendor: 'nobody' }],
    ['an unknown member', { color: 'red' }],
    ['an id with blanks', { id: 'tiny 1' }],
    ['an empty id', { id: '' }],
    ['an id that begins with a point', { id: '.tiny' }],
    ['an id that ends with a blank', { id: 'tiny ' }],
    ['an id that begins with a dash', { id: '-tiny' }],
    ['an id of 101 characters', { id: 'x'.repeat(101) }],
    ['an empty name', { name: '' }],
    ['an empty provider', { provider: '' }],
    ['an empty name of the vendor', { vendorModel: '' }],
    ['an empty source', { source: { what: '', seen: '2026-11-20' } }],
    ['an unknown member of the source', { source: { ...MODEL.source, color: 'red' } }],
    ['an unknown member of what is accepted', { accepts: { temperature: null, color: 'red' } }],
    ['an unknown member of the temperature', { accepts: { temperature: { min: 0, max: 2, color: 'red' } } }],
    ['a temperature without its end', { accepts: { temperature: { min: 0 } } }],
    ['an unknown member of the dialect', { dialect: { maxTokensField: 'max_tokens', color: 'red' } }],
    ['an end without its day', { deprecation: { successor: 'tiny-2' } }],
    ['an unknown member of the end', { deprecation: { on: '2026-12-01', color: 'red' } }],
    ['a context of no tokens', { contextWindow: 0 }],
    ['an id with an @', { id: 'tiny-1@low' }],
    ['an unknown effort', { reasoning: { efforts: ['none', 'loud'], default: null, mandatory: false } }],
    ['no efforts', { reasoning: { efforts: [], default: null, mandatory: true } }],
    [
      'a mandatory thought that can be switched off',
      { reasoning: { efforts: ['none', 'low'], default: null, mandatory: true } },
    ],
    [
      'a thought that is not mandatory and cannot be switched off',
      { reasoning: { efforts: ['low'], default: null, mandatory: false } },
    ],
    ['an unknown name of the output limit', { dialect: { maxTokensField: 'max' } }],
    ['a source without its day', { source: { what: 'price page' } }],
  ])('is rejected for %s', (_, changes) => {
    expect(complaint(changes)).toMatch(/^The model catalog is invalid:\n {2}- \S/);
  });

  test.each([null, {}, 'models', [null], [5]])('is rejected when it is %j', (data) => {
    expect(() => readCatalog(data)).toThrow(CatalogError);
  });

  test.each<[string, object]>([
    ['prices of one to six decimals', { prices: [{ ...PRICE, input: '12', output: '0.123456' }] }],
    ['an id of 100 characters of every kind', { id: `9aZ._/:-${'x'.repeat(92)}` }],
    ['an id of one character', { id: 'a' }],
    [
      'the first and the last day of the week',
      { prices: [{ ...PRICE, hours: [{ weekdays: [0, 6], from: '00:00', until: '24:00', input: '1', output: '1' }] }] },
    ],
    [
      'every digit of an hour',
      {
        prices: [
          {
            ...PRICE,
            hours: [
              { from: '09:59', until: '19:05', input: '1', output: '1' },
              { from: '20:00', until: '23:59', input: '1', output: '1' },
            ],
          },
        ],
      },
    ],
    [
      'a model without limits and without a temperature',
      { contextWindow: null, maxOutputTokens: null, accepts: { temperature: null } },
    ],
    [
      'both names of the output limit and a version',
      { dialect: { maxTokensField: 'max_completion_tokens', apiVersion: '2023-06-01' } },
    ],
    ['an end with and without a successor', { deprecation: { on: '2026-12-01' } }],
    ['an end with a successor', { deprecation: { on: '2026-12-01', successor: 'tiny-2' } }],
    ['rates for the cache', { prices: [{ ...PRICE, cachedInput: '0.01', cacheWrite: '0.2' }] }],
  ])('accepts %s', (_, changes) => {
    expect(read(changes)).toHaveLength(1);
  });

  test('says what an @ in an id would mean', () => {
    expect(complaint({ id: 'tiny-1@low' })).toContain(
      'tiny-1@low.id: must be 1 to 100 letters, digits and any of . _ / : -; an @ separates a model from an effort',
    );
  });

  test('is rejected for a duplicate id, and only for the second one', () => {
    expect(complaint({}, { id: 'tiny-2' }, {})).toBe('The model catalog is invalid:\n  - tiny-1: is listed twice');
  });

  test('locates each error: the model by its id or else its position, and the member', () => {
    expect(complaint({ prices: [{ ...PRICE, input: '1e3' }] })).toBe(
      'The model catalog is invalid:\n  - tiny-1.prices.0.input: must be a string with dollars and at most six decimals',
    );
    const message = complaint({}, { id: 5 }, { name: 5 });
    expect(message).toMatch(/^The model catalog is invalid:\n {2}- entry 1\.id: \S.*\n {2}- tiny-1\.name: \S.*$/);
  });

  test.each<[unknown, RegExp]>([
    [[null], /- entry 0: /],
    [{}, /- entry undefined: /],
  ])('names no model where there is none: %j', (data, fault) => {
    expect(() => readCatalog(data)).toThrow(fault);
  });

  test('reports errors with a separate class', () => {
    expect(new CatalogError(['one', 'two'])).toMatchObject({
      name: 'CatalogError',
      message: 'The model catalog is invalid:\n  - one\n  - two',
    });
  });

  test('is rejected with all of its errors named', () => {
    const message = complaint(
      { prices: [period('1', '2026-01-01'), period('2', '2026-03-01')] },
      { id: 'tiny-2' },
      { id: 'tiny-2' },
    );
    expect(message).toContain('tiny-1: ');
    expect(message).toContain('tiny-2: ');
  });
});

describe('A price of zero', () => {
  const zero = { ...PRICE, input: '0', output: '0.000000' };

  test('is allowed for local models only', () => {
    expect(complaint({ prices: [zero] })).toBe(
      'The model catalog is invalid:\n  - tiny-1: the price from 2026-01-01 is zero, which only local models may have',
    );
    expect(complaint({ prices: [{ ...PRICE, input: '0' }] })).toContain('zero');
    expect(complaint({ prices: [{ ...PRICE, output: '0' }] })).toContain('zero');
    expect(only({ vendor: 'local', prices: [zero] }).prices).toHaveLength(1);
  });

  test.each<[string, object]>([
    ['a long context', { longContext: { aboveInputTokens: 200_000, input: '0', output: '0' } }],
    ['some hours', { hours: [{ from: '16:00', until: '24:00', input: '0', output: '0' }] }],
  ])('is rejected also in %s', (_, more) => {
    expect(complaint({ prices: [{ ...PRICE, ...more }] })).toContain('zero');
  });
});

describe('mergeCatalogs', () => {
  test('replaces entries of the same id whole, in their position, and appends the others', () => {
    const base = read({ id: 'a', name: 'old' }, { id: 'b', name: 'kept' });
    const over = read({ id: 'c', name: 'added' }, { id: 'a', name: 'new', free: true });
    expect(mergeCatalogs(base, over).map(({ id, name, free }) => [id, name, free])).toEqual([
      ['a', 'new', true],
      ['b', 'kept', false],
      ['c', 'added', false],
    ]);
    expect(base.map(({ name }) => name)).toEqual(['old', 'kept']);
  });
});

describe('Price periods', () => {
  test.each<[string, object[], RegExp]>([
    ['share a day', [period('1', '2026-01-01', '2026-02-28'), period('2', '2026-02-28')], /overlap/],
    [
      'lie in one another',
      [period('1', '2026-01-01', '2026-12-31'), period('2', '2026-02-01', '2026-03-01')],
      /overlap/,
    ],
    ['go on when the next one begins', [period('1', '2026-01-01'), period('2', '2026-03-01')], /overlap/],
    ['stand in the wrong order', [period('2', '2026-03-01'), period('1', '2026-01-01', '2026-02-28')], /overlap/],
    [
      'leave out a day',
      [period('1', '2026-01-01', '2026-02-27'), period('2', '2026-03-01')],
      /no price between 2026-02-27 and 2026-03-01/,
    ],
    [
      'leave out the leap day',
      [period('1', '2028-01-01', '2028-02-28'), period('2', '2028-03-01')],
      /no price between/,
    ],
    [
      'leave out a day further back',
      [period('1', '2026-01-01', '2026-01-31'), period('2', '2026-02-01', '2026-02-27'), period('3', '2026-03-01')],
      /no price between/,
    ],
    ['end before they start', [period('1', '2026-02-01', '2026-01-31')], /ends before it starts/],
  ])('are rejected when they %s', (_, prices, fault) => {
    const message = complaint({ prices });
    expect(message).toMatch(fault);
    expect(message).toContain('tiny-1: ');
  });

  test('are reported with their days when they are impossible', () => {
    const fault = (...prices: object[]) => complaint({ prices }).split('\n').slice(1);
    expect(fault(period('1', '2026-02-01', '2026-01-31'))).toEqual([
      '  - tiny-1: the price from 2026-02-01 ends before it starts',
    ]);
    expect(fault(period('1', '2026-01-01', '2026-02-28'), period('2', '2026-02-28'))).toEqual([
      '  - tiny-1: the prices from 2026-01-01 and 2026-02-28 overlap',
    ]);
    expect(fault(period('1', '2026-01-01'), period('2', '2026-03-01'))).toEqual([
      '  - tiny-1: the prices from 2026-01-01 and 2026-03-01 overlap',
    ]);
    expect(fault(period('1', '2026-01-01', '2026-02-27'), period('2', '2026-03-01'))).toEqual([
      '  - tiny-1: there is no price between 2026-02-27 and 2026-03-01',
    ]);
  });

  test.each<[string, object[]]>([
    ['over the end of February', [period('1', '2026-01-01', '2026-02-28'), period('2', '2026-03-01')]],
    ['over a leap day', [period('1', '2028-01-01', '2028-02-29'), period('2', '2028-03-01')]],
    ['over New Year', [period('1', '2026-01-01', '2026-12-31'), period('2', '2027-01-01')]],
    ['of a single day', [period('1', '2026-01-01', '2026-01-01'), period('2', '2026-01-02')]],
    ['with an end for a model that is withdrawn', [period('1', '2026-01-01', '2026-06-30')]],
  ])('are accepted when they follow each other %s', (_, prices) => {
    expect(only({ prices }).prices).toHaveLength(prices.length);
  });
});

describe('The prices from a day on', () => {
  const NOON = new Date('2026-11-22T12:00:00Z');
  const steps = (changes: object) =>
    priceStepsFrom(only(changes), NOON).map(({ from, until, hours, price }) => ({
      from,
      until,
      ...(hours !== null && { hours }),
      input: price.input.toString(),
    }));

  test('are the current one and every announced one, without the past', () => {
    expect(
      steps({
        prices: [
          period('1', '2025-01-01', '2026-11-21'),
          period('2', '2026-11-22', '2026-12-31'),
          period('3', '2027-01-01'),
        ],
      }),
    ).toEqual([
      { from: '2026-11-22', until: '2026-12-31', input: '2' },
      { from: '2027-01-01', until: null, input: '3' },
    ]);
  });

  test('include the model that ends today', () => {
    expect(steps({ prices: [period('1', '2025-01-01', '2026-11-22')] })).toEqual([
      { from: '2025-01-01', until: '2026-11-22', input: '1' },
    ]);
  });

  test('end on the day before the model does, and those announced for later are left out', () => {
    const prices = [
      period('2', '2026-01-01', '2026-12-31'),
      period('3', '2027-01-01', '2027-03-31'),
      period('4', '2027-04-01'),
    ];
    expect(steps({ prices, deprecation: { on: '2027-03-01' } })).toEqual([
      { from: '2026-01-01', until: '2026-12-31', input: '2' },
      { from: '2027-01-01', until: '2027-02-28', input: '3' },
    ]);
    expect(steps({ prices, deprecation: { on: '2026-12-01' } })).toEqual([
      { from: '2026-01-01', until: '2026-11-30', input: '2' },
    ]);
    expect(steps({ prices, deprecation: { on: '2026-11-22' } })).toEqual([]);
  });

  test('are apart for the hours in which they differ', () => {
    const peak = { weekdays: [1, 2], from: '01:00', until: '04:00', input: '0.3', output: '1.2' };
    const { weekdays, from, until } = peak;
    expect(
      steps({ prices: [{ ...PRICE, hours: [peak, { ...peak, weekdays: undefined, from: '06:00', until: '10:00' }] }] }),
    ).toEqual([
      { from: '2026-01-01', until: null, input: '0.15' },
      { from: '2026-01-01', until: null, hours: { weekdays, from, until }, input: '0.3' },
      { from: '2026-01-01', until: null, hours: { weekdays: null, from: '06:00', until: '10:00' }, input: '0.3' },
    ]);
  });
});
