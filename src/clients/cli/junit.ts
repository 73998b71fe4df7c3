import type { ExperimentRow } from '../client/client';

type RowResult = ExperimentRow['results'][number];

const MAX_TEXT_CHARACTERS = 2000;
// XML 1.0 cannot contain other characters, not even escaped.
const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
  '\r': '&#13;',
  '\t': '&#9;',
};

/**
 * The rows as JUnit XML: a suite for each model, a test case for each row. A failed call is an error, and an undecided
 * or missing answer is skipped.
 */
export async function junitOf(
  name: string,
  models: readonly string[],
  rows: AsyncIterable<ExperimentRow>,
): Promise<string> {
  const suites = new Map(models.map((model) => [model, [] as { kind: Kind; xml: string }[]]));
  for await (const row of rows) for (const [model, cases] of suites) cases.push(caseOf(row, model));
  const count = (cases: readonly { kind: Kind }[], wanted: Kind) => cases.filter(({ kind }) => kind === wanted).length;
  const xml = [...suites].map(
    ([model, cases]) =>
      `<testsuite name=${quoted(model)} tests="${cases.length}" failures="${count(cases, 'failure')}" errors="${count(cases, 'error')}" skipped="${count(cases, 'skipped')}">\n${cases.map((one) => one.xml).join('')}</testsuite>\n`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name=${quoted(name)}>\n${xml.join('')}</testsuites>\n`;
}

/** The error of a model in a row: where no model answered, the error of the row has it. */
export function errorOf({ error, results }: ExperimentRow, model: string): RowResult['error'] {
  const own = results.find((result) => result.model === model && result.error !== undefined)?.error;
  const { models = [] } = (error?.['details'] ?? {}) as { models?: { model: string; error: RowResult['error'] }[] };
  return own ?? models.find((each) => each.model === model)?.error;
}

type Kind = 'passed' | 'failure' | 'error' | 'skipped';

function caseOf(row: ExperimentRow, model: string): { kind: Kind; xml: string } {
  const results = row.results.filter((result) => result.model === model);
  const { kind, message, text = '' } = outcomeOf(row, model, results);
  const seconds = results.reduce((sum, { latency_ms: latency }) => sum + latency, 0) / 1000;
  const inner = kind === 'passed' ? '' : `<${kind} message=${quoted(message)}>${escaped(text)}</${kind}>`;
  return {
    kind,
    xml: `<testcase classname=${quoted(model)} name=${quoted(row.row_id)} time="${seconds.toFixed(3)}">${inner}</testcase>\n`,
  };
}

/** The worst sample decides. */
function outcomeOf(
  row: ExperimentRow,
  model: string,
  results: readonly RowResult[],
): { kind: Kind; message: string; text?: string } {
  const wrong = results.filter(({ passed }) => passed === false);
  if (wrong.length > 0)
    return {
      kind: 'failure',
      message: `${wrong.length} of ${results.length} answers failed a check.`,
      text: wrong[0]?.output ?? '',
    };
  const problem: { code?: unknown; message?: unknown } | null | undefined =
    errorOf(row, model) ?? (results.length === 0 ? row.error : undefined);
  if (problem) return { kind: 'error', message: `${String(problem.message)} (${String(problem.code)})` };
  if (results.length === 0) return { kind: 'skipped', message: 'There is no answer.' };
  return results.some(({ passed }) => passed === null)
    ? { kind: 'skipped', message: 'No check decided.' }
    : { kind: 'passed', message: '' };
}

function quoted(text: string): string {
  return `"${escaped(text)}"`;
}

function escaped(text: string): string {
  return text
    .slice(0, MAX_TEXT_CHARACTERS)
    .toWellFormed()
    .replace(FORBIDDEN, '\ufffd')
    .replace(/[&<>"\n\r\t]/g, (character) => ESCAPES[character] ?? character);
}
