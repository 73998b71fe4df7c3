import fc from 'fast-check';
import { Month } from './month';

const anyInstant = fc.date({
  min: new Date('1970-01-01T00:00:00.000Z'),
  max: new Date('9998-12-31T23:59:59.999Z'),
  noInvalidDate: true,
});

describe('Month', () => {
  test.each([
    ['2026-11-01T00:00:00.000Z', '2026-11'],
    ['2026-11-30T23:59:59.999Z', '2026-11'],
    ['2026-12-01T00:00:00.000Z', '2026-12'],
    ['2026-12-31T23:59:59.999Z', '2026-12'],
    ['2027-01-01T00:00:00.000Z', '2027-01'],
    ['2028-02-29T12:00:00.000Z', '2028-02'],
  ])('contains the instant %s in %s', (instant, month) => {
    expect(Month.of(new Date(instant)).toString()).toBe(month);
  });

  test('uses UTC in whatever time zone the instant was written', () => {
    expect(Month.of(new Date('2026-12-01T00:30:00+02:00')).toString()).toBe('2026-11');
    expect(Month.of(new Date('2026-11-30T20:00:00-05:00')).toString()).toBe('2026-12');
  });

  test.each(['2026-01', '2026-09', '2026-10', '2026-12', '1970-01', '9999-12'])('parses %s', (text) => {
    expect(Month.parse(text)?.toString()).toBe(text);
  });

  test.each([
    '',
    '2026',
    '2026-00',
    '2026-13',
    '2026-1',
    '2026-001',
    '26-01',
    '2026/01',
    '2026-01-01',
    ' 2026-01',
    '2026-01 ',
    '2026-01\n',
    '-2026-01',
    '+002026-01',
    '２０２６-01',
    '2026-0a',
    'now',
  ])('rejects %j, which is no month', (text) => {
    expect(Month.parse(text)).toBeUndefined();
  });

  test('parses every month it prints', () => {
    fc.assert(
      fc.property(anyInstant, (instant) => {
        const month = Month.of(instant).toString();
        expect(Month.parse(month)?.toString()).toBe(month);
      }),
    );
  });
});

describe('Month.end', () => {
  test.each([
    ['2026-11', '2026-12-01T00:00:00.000Z'],
    ['2026-12', '2027-01-01T00:00:00.000Z'],
    ['2028-02', '2028-03-01T00:00:00.000Z'],
    ['0050-12', '0051-01-01T00:00:00.000Z'],
  ])('is, for %s, the first instant after it, %s', (month, end) => {
    expect(Month.parse(month)?.end.toISOString()).toBe(end);
  });

  test('separates every instant of the month from the next one', () => {
    fc.assert(
      fc.property(anyInstant, (instant) => {
        const month = Month.of(instant);
        const lastInstant = new Date(month.end.getTime() - 1);
        expect(month.end.getTime()).toBeGreaterThan(instant.getTime());
        expect(Month.of(lastInstant).toString()).toBe(month.toString());
        expect(Month.of(month.end).toString()).not.toBe(month.toString());
      }),
    );
  });
});
