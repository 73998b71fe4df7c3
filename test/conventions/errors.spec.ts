import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS } from '../../src/common/errors';
import { FAILURES } from '../../src/providers/provider.error';

const readme = readFileSync(join(__dirname, '../../README.md'), 'utf8');

/** First two cells of each row of a README table, found by its heading. */
function rowsUnder(heading: string): [string, string][] {
  const section = readme.split(`### ${heading}\n`)[1]?.split(/\n#/)[0] ?? '';
  return [...section.matchAll(/^\| (?<first>[^|]+) \| (?<second>[^|]+) \|/gm)]
    .map(({ groups }): [string, string] => [groups?.['first']?.replaceAll('`', '').trim() ?? '', groups?.['second']?.trim() ?? ''])
    .slice(1)
    .filter(([first]) => !first.startsWith('-'));
}

describe('the error tables of the README', () => {
  it('name every error code with its status, and none that is gone', () => {
    expect(Object.fromEntries(rowsUnder('Errors'))).toEqual(Object.fromEntries(Object.entries(ERRORS).map(([code, { status }]) => [code, String(status)])));
  });

  it('name every failure of a model, and whether a new try may help', () => {
    expect(Object.fromEntries(rowsUnder('Failures of one model')))
      .toEqual(Object.fromEntries(Object.entries(FAILURES).map(([code, { retryable }]) => [code, retryable ? 'yes' : 'no'])));
  });
});
