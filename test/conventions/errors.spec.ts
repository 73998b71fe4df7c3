import { globSync } from 'node:fs';
import { inOwnWords } from '../../src/clients/cli/words';
import { ERRORS } from '../../src/common/errors';
import { RESULT_WARNING_CODES } from '../../src/common/result-codes';
import { FAILURES } from '../../src/modules/providers/provider.error';
import { codeIn, read, rowsOf, sectionOf } from './docs.markdown';

const document = read('docs/errors.md');

/** First two cells of each row of the table under a heading, without backticks. */
function rowsUnder(heading: string): Record<string, string> {
  return Object.fromEntries(
    rowsOf(sectionOf(document, `## ${heading}`)).map(([first, second]) => [codeIn(first ?? '')[0] ?? '', second ?? '']),
  );
}

describe('docs/errors.md', () => {
  it('lists every error code with its status, and none that is gone', () => {
    expect(rowsUnder('Error codes')).toEqual(
      Object.fromEntries(Object.entries(ERRORS).map(([code, { status }]) => [code, String(status)])),
    );
  });

  it('lists every failure of a model and whether it may be retried', () => {
    expect(rowsUnder('Failures of a model')).toEqual(
      Object.fromEntries(Object.entries(FAILURES).map(([code, { retryable }]) => [code, retryable ? 'yes' : 'no'])),
    );
  });

  it('lists every warning that a result may carry', () => {
    const sources = globSync('src/modules/{compare,runs,execution}/**/*.ts')
      .filter((path) => !path.endsWith('.spec.ts'))
      .map(read);
    const codes = sources.flatMap((text) =>
      [...text.matchAll(/\bcode: '([a-z_]+)',\s+message:\s/g)].map(([, code]) => code),
    );
    expect(Object.keys(rowsUnder('Warnings')).sort()).toEqual([...new Set(codes)].sort());
    expect(Object.keys(rowsUnder('Warnings')).sort()).toEqual([...RESULT_WARNING_CODES].sort());
  });
});

describe('mcs', () => {
  it('repeats no header, address or member of the API from a sentence of an error', () => {
    for (const { message } of Object.values(ERRORS))
      expect(inOwnWords(message)).not.toMatch(/\/api\/v1|Bearer|Prefer:|\boptions\.\w|Idempotency-Key/);
  });
});
