import { csvLine } from '../../../common/csv';
import type { Money } from '../../../common/money';
import type { ExperimentRowDto, RowError } from './rows.dto';

const COLUMNS: Readonly<
  Record<
    string,
    (
      row: ExperimentRowDto,
      result?: ExperimentRowDto['results'][number],
    ) => string | number | boolean | Money | null | undefined
  >
> = {
  row_no: (row) => row.row_no,
  row_id: (row) => row.row_id,
  group: (row) => row.group,
  input: (row) => row.input,
  expected: (row) => row.expected,
  model: (_, result) => result?.model,
  sample: (_, result) => result?.sample,
  output: (_, result) => result?.output,
  passed: (_, result) => result?.passed,
  score: (_, result) => result?.score,
  latency_ms: (_, result) => result?.latency_ms,
  cost_usd: (_, result) => result?.cost_usd,
  error: (row, result) => errorText(result === undefined ? row.error : result.error),
  history: (row) => row.history && JSON.stringify(row.history),
};

/** Example of an export as CSV. */
export const ROWS_CSV_EXAMPLE = [
  Object.keys(COLUMNS),
  ['0', 'fr', '', 'France', 'Paris', 'sim-swift', '', 'Paris.', 'true', '1', '412', '0.0000231', '', ''],
]
  .map(csvLine)
  .join('');

/** Rows as CSV (RFC 4180) with a header, one line a result. A row without results has one line. */
export async function* rowsAsCsv(rows: AsyncIterable<ExperimentRowDto>): AsyncGenerator<string> {
  yield csvLine(Object.keys(COLUMNS));
  for await (const row of rows) {
    const results = row.results.length === 0 ? [undefined] : row.results;
    yield results
      .map((result) => csvLine(Object.values(COLUMNS).map((cell) => String(cell(row, result) ?? ''))))
      .join('');
  }
}

/** Rows as NDJSON: the JSON of each row on one line. */
export async function* rowsAsNdjson(rows: AsyncIterable<ExperimentRowDto>): AsyncGenerator<string> {
  for await (const row of rows) yield `${JSON.stringify(row)}\n`;
}

/** Where no model answered, the errors of the models. */
function errorText(error: RowError | undefined): string {
  if (error === undefined) return '';
  const { models } = (error.details ?? {}) as { models?: { model: string; error: RowError }[] };
  return (
    models?.map((each) => `${each.model}: ${errorText(each.error)}`).join('; ') ??
    [error.code, error.message].filter(Boolean).join(': ')
  );
}
