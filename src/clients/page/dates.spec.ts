import { dayName, daysOfMonth, localDate, localDay, monthName, monthsBetween, utcDate } from './dates';

const EVENING = '2026-11-21T21:23:11.123Z';

describe('localDate', () => {
  it.each([
    [EVENING, { timeZone: 'UTC', thisYear: 2026 }, '21 Nov, 21:23'],
    [EVENING, { timeZone: 'UTC', thisYear: 2027 }, '21 Nov 2026, 21:23'],
    [EVENING, { timeZone: 'Asia/Tokyo', thisYear: 2026 }, '22 Nov, 06:23'],
    ['2026-12-31T23:30:00Z', { timeZone: 'Europe/Berlin', thisYear: 2026 }, '1 Jan 2027, 00:30'],
    ['yesterday', {}, 'yesterday'],
  ])('of %s with %j is %s', (timestamp, options, text) => expect(localDate(timestamp, options)).toBe(text));
});

it('localDay names the day where the person is', () => {
  expect(localDay(EVENING, { timeZone: 'Asia/Tokyo' })).toBe('22 November 2026');
  expect(localDay('', {})).toBe('');
});

it.each([
  [EVENING, '2026-11-21 21:23:11 UTC'],
  ['2026-11-21T23:23:11+02:00', '2026-11-21 21:23:11 UTC'],
  ['?', '?'],
])('utcDate of %s is %s', (timestamp, text) => expect(utcDate(timestamp)).toBe(text));

it.each([
  ['2026-11', 'November 2026'],
  ['2026-13', '2026-13'],
  ['', ''],
])('monthName of %j is %j', (month, name) => expect(monthName(month)).toBe(name));

describe('monthsBetween', () => {
  it.each([
    ['2026-11', '2026-11', ['2026-11']],
    ['2025-11', '2026-02', ['2026-02', '2026-01', '2025-12', '2025-11']],
    ['2027-01', '2026-12', ['2026-12']],
    ['nonsense', '2026-12', ['2026-12']],
  ])('of %s and %s are %j', (first, last, months) => expect(monthsBetween(first, last)).toEqual(months));
});

describe('daysOfMonth', () => {
  it.each([
    ['2026-11', 30],
    ['2026-12', 31],
    ['2028-02', 29],
    ['2100-02', 28],
    ['2026-00', 0],
  ])('of %s are %d', (month, count) => expect(daysOfMonth(month)).toHaveLength(count));

  it('have the names that the API gives them', () =>
    expect(daysOfMonth('2026-11').slice(0, 2)).toEqual(['2026-11-01', '2026-11-02']));
});

it.each([
  ['2026-11-03', '3 November'],
  ['nonsense', 'nonsense'],
])('dayName of %s is %s', (day, name) => expect(dayName(day)).toBe(name));
