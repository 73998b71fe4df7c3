import { checksOf } from './checks';
import { UsageError } from './exit-codes';
import type { System } from './system';

const FILES: Record<string, string> = {
  'schema.json': '{"type":"object","required":["city"]}',
  'checks.json': '[{"type":"finished"}]',
  'one.json': '{"type":"finished"}',
  'broken.json': '{"type":',
};

const system = {
  readFile: (path: string) => {
    const text = FILES[path];
    if (text === undefined) throw Object.assign(new Error(path), { code: 'ENOENT' });
    return text;
  },
} as System;

const of = (...check: string[]) => checksOf(system, { check });

describe('The checks of a command line', () => {
  it.each([
    ['equals=yes', { type: 'equals', value: 'yes' }],
    ['contains=a=b, c', { type: 'contains', values: ['a=b, c'] }],
    ['contains=two\nlines', { type: 'contains', values: ['two\nlines'] }],
    ['label=billing|lost parcel', { type: 'label', values: ['billing', 'lost parcel'] }],
    ['regex=^\\d+:\\s{2}$', { type: 'regex', pattern: '^\\d+:\\s{2}$' }],
    ['json', { type: 'json' }],
    ['json=schema.json', { type: 'json', schema: { type: 'object', required: ['city'] } }],
    ['number=42', { type: 'number', value: 42 }],
    ['number=-1.5e3~0.25', { type: 'number', value: -1500, tolerance: 0.25 }],
    ['length=10..200', { type: 'length', min: 10, max: 200 }],
    ['length=..50words', { type: 'length', max: 50, unit: 'words' }],
    ['length=10..tokens', { type: 'length', min: 10, unit: 'tokens' }],
    ['similarity=0.8:Bonjour: tous', { type: 'similarity', value: 'Bonjour: tous', min: 0.8 }],
    ['latency=2000', { type: 'latency', max_ms: 2000 }],
    ['latency=500:first_token', { type: 'latency', max_ms: 500, of: 'first_token' }],
    ['cost=0.001', { type: 'cost', max_usd: 0.001 }],
    ['finished', { type: 'finished' }],
    ['not-contains=sorry', { type: 'contains', not: true, values: ['sorry'] }],
    ['no-excuse:not-regex=sorry|cannot', { type: 'regex', name: 'no-excuse', not: true, pattern: 'sorry|cannot' }],
    [
      '{"type":"contains","values":["a","b"],"mode":"any","weight":2}',
      { type: 'contains', values: ['a', 'b'], mode: 'any', weight: 2 },
    ],
  ])('read %s', (text, check) => {
    expect(of(text)).toEqual([check]);
  });

  it('are those of the file, then those of the options, in their order', () => {
    expect(checksOf(system, { checks: 'checks.json', check: ['equals=a', 'json'] })).toEqual([
      { type: 'finished' },
      { type: 'equals', value: 'a' },
      { type: 'json' },
    ]);
    expect(checksOf(system, {})).toEqual([]);
  });

  it.each([
    ['rubric=nice', 'one of equals, contains, label, regex, json, number, length, similarity, latency, cost, finished'],
    ['constructor=x', 'one of equals'],
    ['Contains=x', 'one of equals'],
    ['', 'one of equals'],
    ['contains', 'contains=TEXT'],
    ['contains=', 'contains=TEXT'],
    ['equals', 'equals=TEXT'],
    ['label', 'label=ONE|ANOTHER'],
    ['regex=', 'regex=PATTERN'],
    ['number=forty', 'number=42~0.5'],
    ['number=4~', 'number=42~0.5'],
    ['length=10', 'length=10..200'],
    ['length=1..2pages', 'length=10..200'],
    ['similarity=2:x', 'similarity=0.8:TEXT'],
    ['similarity=0.8', 'similarity=0.8:TEXT'],
    ['latency=fast', 'latency=2000'],
    ['latency=1:middle', 'first_token'],
    ['cost=free', 'cost=0.001'],
    ['finished=yes', 'takes no value'],
    ['json=', 'json=FILE'],
    ['json=none.json', 'There is no file none.json.'],
    ['json=broken.json', 'broken.json is not JSON.'],
    ['{"type":', '--check is not JSON.'],
  ])('refuse %s and say how it is written', (text, words) => {
    expect(() => of(text)).toThrow(UsageError);
    expect(() => of(text)).toThrow(words);
  });

  it('are refused from a file that is no list of them', () => {
    expect(() => checksOf(system, { checks: 'one.json' })).toThrow('one.json must contain a JSON array of checks.');
    expect(() => checksOf(system, { checks: 'nothing.json' })).toThrow('There is no file nothing.json.');
  });
});
