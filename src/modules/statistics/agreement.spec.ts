import fc from 'fast-check';
import { agreementKey, Sayings } from './agreement';

/** True if two answers agree when there are no others. */
function agree(left: string, right: string): boolean {
  const sayings = new Sayings();
  const [one, other] = [sayings.read(left), sayings.read(right)];
  return sayings.resolved(one) === sayings.resolved(other);
}

describe('Two answers agree', () => {
  test.each([
    ['JSON with permuted keys', '{"a": 1, "b": [2, {"c": null, "d": "x"}]}', '{"b":[2.0,{"d":"x","c":null}],"a":1e0}'],
    ['JSON in a code fence', '```json\n{"city": "Paris"}\n```', ' {"city":"Paris"} '],
    ['a whole number and a decimal', '42', '42.0'],
    ['a number with an exponent', '4.2e1', '42'],
    ['a number with separators', '1,234.5', '1234.5'],
    ['a number with spaces that do not break', '1\u202f234', '1234'],
    ['a number with a unit', '42 km', '42'],
    ['a number and its unit, without regard to case and plural', '5 years', '5 Year'],
    ['a unit of several parts', '60 km/h', '60.0 km/h.'],
    ['half of the day', '10 a.m.', '10 AM'],
    ['a degree', '100 °C', '100℃'],
    ['a scale and the whole number', '3 million', '3,000,000'],
    ['a currency with a scale', '$1.5 billion', '1,500,000,000 dollars'],
    ['per cent', '12 %', '12 percent'],
    ['groups and a decimal comma', '1.234,50 €', '1,234.5 euros'],
    ['a number in bold', '**42**', '42'],
    ['a formula', '$42$', '42'],
    ['a heading', '# Paris', 'Paris'],
    ['an item of a list', '- Paris', 'paris'],
    ['parentheses', '(B)', 'B'],
    ['emphasis', '**Paris**.', '*Paris*'],
    ['a question', '¿Qué?', 'qué'],
    ['a composed character and its parts', 'caf\u00e9', 'cafe\u0301'],
    ['an amount', '$12.00', '12 dollars'],
    ['another minus sign', '−3', '-3.0'],
    ['a hyphen or a dash as minus', '‐3', '–3'],
    ['a dash as minus and the plain one', '—3', '-3'],
    ['zeros', '0.000', '-0'],
    ['numbers beyond floats', '9007199254740993', '9007199254740993.0'],
    ['case and white space', 'The  capital\nis Paris', 'the capital is paris'],
    ['outer punctuation', '"Paris."', 'Paris'],
    ['forms of a character', 'ﬁne', 'fine'],
    ['only punctuation', '!!!', '!!!'],
    ['nothing', '', ' '],
  ])('over %s', (_, left, right) => {
    expect([agree(left, right), agree(right, left)]).toEqual([true, true]);
  });

  test.each([
    ['other numbers', '42', '43'],
    ['numbers that floats cannot tell apart', '9007199254740993', '9007199254740992'],
    ['numbers in JSON that floats cannot tell apart', '[9007199254740993]', '[9007199254740992]'],
    ['a number and a text in JSON', '{"a": 1}', '{"a": "1"}'],
    ['a text in JSON that looks like a number with its mark', '["n1e0"]', '[1]'],
    ['an order of elements', '[1,2]', '[2,1]'],
    ['a missing member', '{"a":1}', '{"a":1,"b":null}'],
    ['inner punctuation', 'Paris, Texas', 'Paris Texas'],
    ['only other punctuation', '!!!', '???'],
    ['a text and a number in it', 'It is 42', '42'],
    ['two units', '3 feet 4 inches', '3'],
    ['a sign', '-3', '3'],
    ['accents', 'resume', 'résumé'],
    ['scales', '3 million', '3 billion'],
    ['a scale that one leaves out', '3 million', '3'],
    ['halves of the day', '10 am', '10 pm'],
    ['units of time', '5 years', '5 days'],
    ['units of mass', '20 kg', '20 g'],
    ['a short unit that ends in s', '5 ms', '5 m'],
    ['currencies', '$5', '5 €'],
    ['degrees', '100°C', '100°F'],
    ['a percent sign', '5 %', '5'],
    ['a percent sign and one per mille', '5 %', '5 ‰'],
    ['a power', '10⁶', '106'],
    ['a fraction', '1/2', '2'],
    ['a hash', 'C#', 'C'],
    ['an option', '-x', 'x'],
    ['a negation', '!x', 'x'],
    ['a path', '/etc', 'etc'],
    ['a star', 'A*', 'A'],
    ['a dot before it', '.NET', 'NET'],
    ['underscores', '__init__', 'init'],
    ['brackets', '[x]', 'x'],
    ['two pairs of parentheses', '(a) or (b)', 'a) or (b'],
    ['indentation', 'if x:\n    y\nz', 'if x:\n    y\n    z'],
    ['indentation in a fence', '```py\nfor a in b:\n  c\n  d\n```', '```py\nfor a in b:\n  c\nd\n```'],
  ])('not over %s', (_, left, right) => {
    expect([agree(left, right), agree(right, left)]).toEqual([false, false]);
  });

  test('over the same JSON in any order of keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
        const reversed = Object.fromEntries(Object.entries(object).reverse());
        expect(agree(JSON.stringify(object), JSON.stringify(reversed, null, 2))).toBe(true);
      }),
    );
  });

  test('over whole numbers, however they are written, and not over their neighbors', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.nat(5), (number, zeros) => {
        expect(agree(number.toString(), `${number}.${'0'.repeat(zeros)}`)).toBe(true);
        expect(agree(number.toString(), (number + 1n).toString())).toBe(false);
      }),
    );
  });

  test.each([
    [['42', '42 km', '42.0 km'], [[0, 1, 2]]],
    [
      ['42', '42 km', '42 miles'],
      [[0], [1], [2]],
    ],
    [
      ['42', '42 km', '50 miles'],
      [[0], [1], [2]],
    ],
    [
      ['42', '42 km', 'about 42 miles', '43'],
      [[0, 1], [2], [3]],
    ],
    [
      ['3', '3 million', '3 billion', '3000000'],
      [[0], [1, 3], [2]],
    ],
    [
      ['5', '5 %', '5.0'],
      [[0, 2], [1]],
    ],
  ])('in groups that hold for all of them: %j', (answers, groups) => {
    const sayings = new Sayings();
    const read = answers.map((answer) => sayings.read(answer));
    const indexes = [...answers.keys()];
    expect([...Map.groupBy(indexes, (index) => sayings.resolved(read[index] ?? -1)).values()]).toEqual(groups);
  });

  test('over very long texts only when they are the same', () => {
    const long = 'word '.repeat(10_001);
    expect([
      agree(long, long),
      agree(long, long.toUpperCase()),
      agree(long.slice(0, 50_000), long.slice(0, 50_000).toUpperCase()),
    ]).toEqual([true, false, true]);
  });

  test.each([
    ['deeply nested JSON', '['.repeat(10_000)],
    ['deeply nested JSON that is complete', `${'['.repeat(20_000)}${']'.repeat(20_000)}`],
    ['many marks', '. '.repeat(10_000)],
    ['marks with a letter at the end', `${'.'.repeat(20_000)}a${'.'.repeat(20_000)}a`],
    ['fences', '```\n'.repeat(10_000)],
    ['digits', '1'.repeat(40_000)],
    ['groups of digits', '1,234'.repeat(40)],
    ['items of a list', '- '.repeat(20_000)],
    ['quotation marks', '"\''.repeat(20_000)],
    ['line ends and spaces', '\n  '.repeat(13_000)],
    ['lone surrogates', '\ud800\udc00\ud800'],
  ])('with themselves in time when they are %s', (_, text) => {
    expect(agreementKey(text)).toBe(agreementKey(text));
    expect(agree(text, `${text} b`)).toBe(false);
  });
});
