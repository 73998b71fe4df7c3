import { toApiJson } from './amount-text';
import type { EvalSummary } from './types';

/** An eval of a list, with the note and the star where the list includes them. */
type ExportedEval = EvalSummary & { note?: string | null; starred?: boolean };

const COLUMNS: Record<string, (line: ExportedEval) => string | boolean | null | undefined> = {
  eval_id: (line) => line.eval_id,
  created_at: (line) => line.created_at,
  prompt: (line) => line.prompt,
  models: (line) => line.models.join(' '),
  fastest_model: (line) => line.meta.fastest_model,
  total_cost_usd: (line) => line.meta.total_cost_usd,
  free: (line) => line.details?.free,
  charge_usd: (line) => line.details?.charge_usd,
  starred: (line) => line.starred,
  note: (line) => line.note,
};

/**
 * A list of evals as CSV (RFC 4180), line by line, with a header; a cell is empty where the list does not include it.
 * At most `limit` evals are read.
 */
export async function* evalsAsCsv(
  evals: AsyncIterable<ExportedEval>,
  limit = Infinity,
): AsyncGenerator<string, void, undefined> {
  yield csvLine(Object.keys(COLUMNS));
  for await (const line of atMost(limit, evals))
    yield csvLine(Object.values(COLUMNS).map((cellOf) => String(cellOf(line) ?? '')));
}

/**
 * A list of evals as JSONL: the API's JSON of each eval on one line, amounts with all their digits. At most `limit`
 * evals are read.
 */
export async function* evalsAsJsonl(
  evals: AsyncIterable<ExportedEval>,
  limit = Infinity,
): AsyncGenerator<string, void, undefined> {
  for await (const line of atMost(limit, evals)) yield `${toApiJson(line)}\n`;
}

/** The first ones; no further page is fetched after the last of them. */
export async function* atMost<T>(limit: number, items: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  if (limit < 1) return;
  let count = 0;
  for await (const item of items) {
    yield item;
    count += 1;
    if (count >= limit) return;
  }
}

function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

// The rule of the service's statements: spreadsheets treat such text as a formula, so it is quoted; numbers keep their
// sign.
function csvCell(text: string): string {
  const safe = /^(?:\s*[=+\-@＝＋－＠]|[\t\r\n])/.test(text) && !/^-\d+(\.\d+)?$/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
