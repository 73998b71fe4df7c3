import { formatOf, guessedNames, previewOf, variablesOf } from './data-file';

describe('previewOf', () => {
  it('reads cells in quotes, with commas, line ends and quotes, and a BOM', () => {
    expect(previewOf('\ufeffa, b \r\n"1,5","two\nlines"\r\n"say ""hi""",\n\nx,y', 'csv')).toEqual({
      columns: ['a', 'b'],
      rows: [
        ['1,5', 'two\nlines'],
        ['say "hi"', ''],
        ['x', 'y'],
      ],
    });
  });

  it('reads five rows of a file that was cut', () => {
    const { rows } = previewOf(`a\n${'1\n'.repeat(20)}"cut in the mid`, 'csv');
    expect(rows).toEqual(Array.from({ length: 5 }, () => ['1']));
    expect(previewOf('{"input":"a"}\n{"inp', 'jsonl').rows).toEqual([['a']]);
  });

  it.each(['[{"a":1,"b":null},{"a":"x","c":[2]}]', '{"rows":[{"a":1,"b":null},{"item":{"a":"x","c":[2]}}]}'])(
    'has every column of JSON: %s',
    (text) => {
      expect(previewOf(text, 'json')).toEqual({
        columns: ['a', 'b', 'c'],
        rows: [
          ['1', '', ''],
          ['x', '', '[2]'],
        ],
      });
    },
  );

  it.each(['', 'null', '{', '[1, [2], "x"]', '{"rows": 1}'])('has no row of %j', (text) =>
    expect(previewOf(text, 'json').rows).toEqual([]),
  );

  it('is done soon with a file of quotes', () => {
    const begun = performance.now();
    previewOf('"'.repeat(262_143), 'csv');
    previewOf('"a,'.repeat(87_000), 'csv');
    expect(performance.now() - begun).toBeLessThan(2000);
  });
});

describe('Columns', () => {
  it('are guessed by their usual names', () => {
    expect(guessedNames(['Question', 'answer', 'topic'])).toEqual({ input: 'Question', expected: 'answer' });
    expect(guessedNames(['text', 'input', 'id'])).toEqual({ input: 'input', id: 'id' });
    expect(guessedNames(['country', 'capital'])).toEqual({ input: 'country' });
    expect(guessedNames(['variables', 'checks'])).toEqual({});
  });

  it('are variables if they are nothing else', () =>
    expect(variablesOf(['question', 'tone', 'checks'], { input: 'question' })).toEqual(['tone']));
});

it.each([
  ['a.csv', 'csv'],
  ['a.b.JSONL', 'jsonl'],
  ['a.ndjson', 'jsonl'],
  ['a.json', 'json'],
  ['a.txt', undefined],
  ['csv', undefined],
])('formatOf %s is %s', (name, format) => expect(formatOf(name)).toBe(format));
