import { dateTimeProblem, parseDateTime } from './date-time';

describe('A date-time of a request', () => {
  it.each([
    ['2027-01-01T00:00:00Z', '2027-01-01T00:00:00.000Z'],
    ['2027-01-01t00:00:00z', '2027-01-01T00:00:00.000Z'],
    ['2028-02-29T23:59:59.5+05:30', '2028-02-29T18:29:59.500Z'],
    ['2027-01-01T00:00:00.123456789-23:59', '2027-01-01T23:59:00.123Z'],
    ['2027-01-01T00:00:00-00:00', '2027-01-01T00:00:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999999999Z', '9999-12-31T23:59:59.999Z'],
  ])('is accepted as %s and means %s', (text, instant) => {
    expect(dateTimeProblem(text)).toBeUndefined();
    expect(parseDateTime(text).toISOString()).toBe(instant);
  });

  it.each(['2027-01-01T00:00:00', '2027-01-01T00:00:00.5'])('needs a time zone: %s', (text) => {
    expect(dateTimeProblem(text)).toBe(' must end in a time zone: Z for UTC, or an offset such as +02:00');
  });

  it.each([
    ['2027-02-29T00:00:00Z', '2027-02-29'],
    ['2027-02-30T00:00:00Z', '2027-02-30'],
    ['2027-04-31T00:00:00+01:00', '2027-04-31'],
    ['2027-13-01T00:00:00Z', '2027-13-01'],
    ['2027-00-10T00:00:00Z', '2027-00-10'],
    ['2100-02-29T00:00:00Z', '2100-02-29'],
    ['2027-01-00T00:00:00Z', '2027-01-00'],
    ['2027-01-32T00:00:00', '2027-01-32'],
  ])('names a day of the calendar, unlike %s', (text, day) => {
    expect(dateTimeProblem(text)).toBe(` must name a real day, which ${day} is not`);
  });

  it.each([
    '',
    'soon',
    '2027',
    '2027-01',
    '2027-01-01',
    '2027-W01-1T00:00:00Z',
    '2027-W01',
    '20270101T000000Z',
    '2027-001T00:00:00Z',
    '2027-01-01 00:00:00Z',
    '2027-01-01T00:00Z',
    '2027-01-01T24:00:00Z',
    '2027-01-01T00:60:00Z',
    '2027-06-30T23:59:60Z',
    '2027-01-01T00:00:00,5Z',
    '2027-01-01T00:00:00.Z',
    '2027-01-01T00:00:00+0200',
    '2027-01-01T00:00:00+02',
    '2027-01-01T00:00:00+24:00',
    '2027-01-01T00:00:00+02:60',
    '+012027-01-01T00:00:00Z',
    '12027-01-01T00:00:00Z',
    '-0001-01-01T00:00:00Z',
    ' 2027-01-01T00:00:00Z',
    '2027-01-01T00:00:00Z\n',
    '2027-01-01T00:00:00Z\u0000',
    '２０２７-01-01T00:00:00Z',
    `2027-01-01T00:00:00.${'0'.repeat(10)}Z`,
  ])('cannot be written as %j', (text) => {
    expect(dateTimeProblem(text)).toBe(
      ' must be written like 2027-01-01T00:00:00Z or 2027-01-01T02:00:00+02:00 (RFC 3339)',
    );
  });

  it('has a year of four digits in UTC too', () => {
    expect(dateTimeProblem('9999-12-31T23:59:59-00:01')).toBe(' must not be later than the year 9999');
    expect(dateTimeProblem('9999-12-31T23:59:59+00:01')).toBeUndefined();
  });
});
