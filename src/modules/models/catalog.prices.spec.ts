import fc from 'fast-check';
import shipped from './catalog.json';
import {
  hasEnded,
  priceAt,
  priceStepsFrom,
  ratesFor,
  readCatalog,
  type Model,
  type Price,
  type Rates,
} from './catalog';

const PRICE = { from: '2026-01-01', input: '0.15', output: '0.6' };

/** A model of the catalog with that in its entry. */
function only(changes: object): Model {
  const entry = {
    id: 'tiny-1',
    name: 'Tiny 1',
    provider: 'Tiny',
    vendor: 'simulator',
    vendorModel: 'tiny-1-0',
    contextWindow: null,
    maxOutputTokens: null,
    accepts: { temperature: null },
    dialect: { maxTokensField: 'max_tokens' },
    prices: [PRICE],
    source: { what: 'price page', seen: '2026-11-20' },
  };
  const [model] = readCatalog([{ ...entry, ...changes }]);
  if (model === undefined) throw new Error('There is no model.');
  return model;
}

/** A model with other prices at these hours. */
const withHours = (hours: readonly object[]) => only({ prices: [{ ...PRICE, hours }] });
const withPeriods = (...periods: [input: string, from: string, until: string][]) =>
  only({ prices: periods.map(([input, from, until]) => ({ ...PRICE, input, from, until })) });

/** Rates as their digits. */
function digits({ input, cachedInput, cacheWrite, output }: Rates): (string | undefined)[] {
  return [input, cachedInput, cacheWrite, output].map((rate) => rate?.toString());
}

describe('The shipped prices of November 2026', () => {
  const of = (id: string, at: string) => {
    const price = priceAt(readCatalog(shipped).find((model) => model.id === id) as Model, new Date(at));
    return price && digits(price);
  };

  test.each<[id: string, at: string, rates: (string | undefined)[] | undefined]>([
    ['claude-fable-5-2', '2026-11-08T23:59:59.999Z', undefined],
    ['claude-fable-5-2', '2026-11-09T00:00:00.000Z', ['8', '0.2', '10', '40']],
    ['gemini-4-neon', '2026-11-27T00:00:00.000Z', ['3', '0.15', undefined, '15']],
    ['gemini-4-hydrogen', '2026-11-27T00:00:00.000Z', ['1.5', '0.075', undefined, '7.5']],
    ...['gemini-4-argon', 'gemini-4-carbon'].flatMap((id): [string, string, (string | undefined)[]][] => [
      [id, '2026-11-30T23:59:59.999Z', ['2', '0.1', undefined, '10']],
      [id, '2026-12-01T00:00:00.000Z', ['4', '0.2', undefined, '20']],
    ]),
  ])('of %s at %s are %p', (id, at, rates) => {
    expect(of(id, at)).toEqual(rates);
  });
});

describe('The price at an instant', () => {
  const model = () => withPeriods(['1', '2026-01-01', '2026-02-28'], ['2', '2026-03-01', '2026-06-30']);

  test.each([
    ['2025-12-31T23:59:59.999Z', undefined],
    ['2026-01-01T00:00:00.000Z', '1'],
    ['2026-02-28T23:59:59.999Z', '1'],
    ['2026-03-01T00:00:00.000Z', '2'],
    ['2026-03-01T01:00:00.000+02:00', '1'],
    ['2026-06-30T23:59:59.999Z', '2'],
    ['2026-07-01T00:00:00.000Z', undefined],
  ])('is, at %s, the one of that UTC day: %p', (instant, input) => {
    expect(priceAt(model(), new Date(instant))?.input.toString()).toBe(input);
  });

  test('stays valid for ever without an end', () => {
    expect(priceAt(only({}), new Date('2999-12-31T23:59:59Z'))?.input.toString()).toBe('0.15');
  });

  test('exists on every day between the first and the last of valid periods', () => {
    const first = Date.parse('2026-01-01T00:00:00Z');
    const last = Date.parse('2026-06-30T23:59:59.999Z');
    const read = model();
    fc.assert(
      fc.property(fc.integer({ min: first, max: last }), (instant) => priceAt(read, new Date(instant)) !== undefined),
    );
  });
});

describe('The announced end of a model', () => {
  const model = () => only({ deprecation: { on: '2026-12-01' } });

  test.each([
    ['2026-11-30T23:59:59.999Z', false],
    ['2026-12-01T00:00:00.000Z', true],
    ['2026-12-01T00:30:00.000+02:00', false],
    ['2027-01-01T00:00:00.000Z', true],
  ])('is reached at %s: %p', (instant, ended) => {
    expect(hasEnded(model(), new Date(instant))).toBe(ended);
  });

  test('is never reached where none is announced', () => {
    expect(hasEnded(only({}), new Date('2999-01-01T00:00:00Z'))).toBe(false);
  });
});

describe('The price at an hour of the UTC day', () => {
  const hours = [
    { from: '16:30', until: '24:00', input: '0.5', output: '1' },
    { from: '00:00', until: '00:30', input: '0.7', output: '1' },
    { weekdays: [0, 6], from: '08:00', until: '09:00', input: '0.9', output: '1' },
  ];
  const model = () => withHours(hours);

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
  ])('is, at %s, %s', (instant, input) => {
    expect(priceAt(model(), new Date(instant))?.input.toString()).toBe(input);
  });

  test('is the same whatever the local time of the machine', () => {
    // 23 November 2026 is a Monday.
    const monday = withHours([{ weekdays: [1], from: '01:00', until: '04:00', input: '0.5', output: '1' }]);
    const local = (['getDay', 'getDate', 'getMonth', 'getFullYear', 'getHours', 'getMinutes', 'setDate'] as const).map(
      (name) => jest.spyOn(Date.prototype, name).mockReturnValue(0),
    );
    try {
      expect(
        [
          '2026-11-23T00:59:59.999Z',
          '2026-11-23T01:00:00.000Z',
          '2026-11-22T02:00:00.000Z',
          '2026-11-24T02:00:00.000Z',
        ].map((instant) => priceAt(monday, new Date(instant))?.input.toString()),
      ).toEqual(['0.15', '0.5', '0.15', '0.15']);
      const [first] = priceStepsFrom(only({ deprecation: { on: '2026-12-01' } }), new Date('2026-11-30T23:59:59.999Z'));
      expect([
        first?.until,
        hasEnded(only({ deprecation: { on: '2026-12-01' } }), new Date('2026-11-30T23:59:59.999Z')),
      ]).toEqual(['2026-11-30', false]);
    } finally {
      for (const spy of local) spy.mockRestore();
    }
  });

  test('is rejected with its hours when it is impossible, and accepted when hours only touch or share no day', () => {
    const span = (from: string, until: string, weekdays?: number[]) => ({
      from,
      until,
      input: '1',
      output: '1',
      ...(weekdays !== undefined && { weekdays }),
    });
    const fault =
      (...spans: object[]) =>
      () =>
        withHours(spans);
    const taken = (...spans: object[]) => withHours(spans).prices[0]?.hours;
    expect(fault(span('22:00', '02:00'))).toThrow(
      /\n {2}- tiny-1: in the price from 2026-01-01, the hours from 22:00 end before they start$/,
    );
    expect(fault(span('08:00', '08:00'))).toThrow(
      /\n {2}- tiny-1: in the price from 2026-01-01, the hours from 08:00 end before they start$/,
    );
    const clash = /\n {2}- tiny-1: in the price from 2026-01-01, the hours from 08:00 and 11:00 overlap$/;
    expect(fault(span('08:00', '12:00'), span('11:00', '13:00'))).toThrow(clash);
    expect(fault(span('08:00', '12:00'), span('11:00', '13:00', [1]))).toThrow(clash);
    expect(fault(span('08:00', '12:00', [1]), span('11:00', '13:00'))).toThrow(clash);
    expect(fault(span('08:00', '12:00', [1, 2]), span('11:00', '13:00', [2, 3]))).toThrow(clash);
    expect(taken(span('08:00', '12:00', [1, 2]), span('11:00', '13:00', [3]))).toHaveLength(2);
    expect(taken(span('08:00', '12:00'), span('12:00', '13:00'))).toHaveLength(2);
    expect(taken(span('12:00', '13:00'), span('08:00', '12:00'))).toHaveLength(2);
  });

  test.each<[string, object[]]>([
    ['end before they start, and so would never hold', [{ from: '22:00', until: '02:00', input: '1', output: '1' }]],
    [
      'overlap, and so leave open which price holds',
      [
        { from: '08:00', until: '12:00', input: '1', output: '1' },
        { from: '11:00', until: '13:00', input: '2', output: '1' },
      ],
    ],
  ])('is rejected for hours that %s', (_, unclear) => {
    expect(() => withHours(unclear)).toThrow('tiny-1');
  });

  test.each(['24:01', '25:00', '30:00', '8:00', '12:60', 'noon', '124:00', '24:000', '108:00', '08:000'])(
    'is rejected for the hour %s',
    (until) => {
      expect(() => withHours([{ from: '00:00', until, input: '1', output: '1' }])).toThrow(
        'must be a time of day in UTC, HH:MM',
      );
    },
  );
});

describe('The rates for a prompt', () => {
  const long = { aboveInputTokens: 200_000, input: '2.5', cachedInput: '0.25', output: '15' };
  const price = () =>
    only({ prices: [{ ...PRICE, input: '1.25', output: '10', longContext: long }] }).prices[0] as Price;

  test.each([
    [0, '1.25', '10'],
    [199_999, '1.25', '10'],
    [200_000, '1.25', '10'],
    [200_001, '2.5', '15'],
    [1_000_000, '2.5', '15'],
  ])('are, for %d tokens, %s in and %s out', (tokens, input, output) => {
    const rates = ratesFor(price(), tokens);
    expect([rates.input, rates.output].map(String)).toEqual([input, output]);
  });

  test('are all those of the long context above its limit, cached ones too', () => {
    expect(digits(ratesFor(price(), 200_001))).toEqual(['2.5', '0.25', undefined, '15']);
    expect(digits(ratesFor(price(), 200_000))).toEqual(['1.25', undefined, undefined, '10']);
  });

  test('are the same for every size where there is no long context', () => {
    const plain = only({}).prices[0] as Price;
    expect(digits(ratesFor(plain, 10_000_000))).toEqual(['0.15', undefined, undefined, '0.6']);
  });
});
