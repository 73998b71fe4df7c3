import type { Check, ExperimentCheck, ImportedExperiment, ImportedRow, Turn } from '../types';
import { refusal, type Files } from './files';
import { fail, type Members, type Notes } from './notes';
import { variablesIn } from './templates';

/** The parts that every conversion works with: `chosen` and `judge` replace models and judges of the file `name`. */
export interface ImportContext {
  files: Files;
  notes: Notes;
  name: string;
  chosen: readonly string[] | undefined;
  judge: string | undefined;
}

/** A row before it is known which variables the prompts use. */
export interface DraftRow {
  place: string;
  variables: Record<string, string>;
  checks: Check[];
  id?: string;
  history?: Turn[];
}

/** The limits of a dataset of the service. */
const LIMITS = { rows: 100_000, variables: 20, input: 128_000, expected: 32_000, checks: 20 };

/** @throws Unconverted for a name that no variable may have, and for too many or too long values */
export function checkedVariables(entries: readonly (readonly [name: string, value: string])[]): Record<string, string> {
  if (entries.length > LIMITS.variables)
    fail(`with more than ${LIMITS.variables} variables, which is the maximum, are left out`, 'rows');
  for (const [name, { length }] of entries) {
    if (!/^\w{1,40}$/.test(name) || name in Object.prototype)
      fail(`has the variable ${name}; names are 1 to 40 letters, digits and _`);
    if (length > (name === 'expected' ? LIMITS.expected : LIMITS.input))
      fail(`has ${length} characters in ${name}, which is too long`);
  }
  return Object.fromEntries(entries);
}

/** @throws CompareError invalid_import for more rows than a dataset may have */
export function refuseTooMany(rows: number): void {
  if (rows > LIMITS.rows)
    throw refusal(
      `The file has more than ${LIMITS.rows.toLocaleString('en-US')} rows, which is the maximum of a dataset.`,
    );
}

/** True if a row has each variable that a text uses. */
export function hasVariables({ variables }: DraftRow, text: string, names: ReadonlySet<string>): boolean {
  return variablesIn(text, names).every((name) => Object.hasOwn(variables, name));
}

/**
 * The rows of the dataset. Rows without a variable of the prompts or of common checks are listed and left out.
 * @param texts prompts and common checks as JSON, by their places
 * @param usesInput true if a prompt uses the variable `input`; the service appends an input that the prompt does not
 * use
 */
export function finishRows(
  rows: readonly DraftRow[],
  texts: readonly (readonly [place: string, text: string])[],
  usesInput: boolean,
  names: ReadonlySet<string>,
  notes: Notes,
): ImportedRow[] {
  const ids = new Map<string, number>();
  for (const [place, text] of texts) {
    for (const name of new Set(variablesIn(text, names))) {
      const lacking = rows.filter(({ variables }) => !Object.hasOwn(variables, name));
      if (lacking[0] !== undefined)
        notes.unconverted.push({
          place,
          problem: `uses {{${name}}}, which ${lacking.length} of ${rows.length} rows lack, the first at ${lacking[0].place}; these rows are left out`,
        });
    }
  }
  return rows
    .filter((row) => texts.every(([, text]) => hasVariables(row, text, names)))
    .map((row) => {
      const {
        place,
        variables: { expected, ...given },
        checks,
        id,
        history,
      } = row;
      const { input, ...others } = usesInput ? given : { ...given, input: undefined };
      const variables = usesInput ? others : given;
      const usable = checks.slice(0, LIMITS.checks).filter((check) => hasVariables(row, JSON.stringify(check), names));
      if (usable.length < checks.length)
        notes.unconverted.push({
          place,
          problem: `has ${checks.length - usable.length} checks of more than ${LIMITS.checks}, or of variables that the row lacks; they are left out`,
        });
      // A row needs an input or a variable, also if the prompt has none.
      const shown =
        Object.keys(variables).length > 0 ? { variables } : input === undefined ? { variables: { row: place } } : {};
      return {
        ...(id !== undefined && { id: uniqueId(id, ids) }),
        ...(input !== undefined && { input }),
        ...(expected !== undefined && { expected }),
        history,
        ...shown,
        ...(usable.length > 0 && { checks: usable }),
      };
    });
}

function uniqueId(description: string, ids: Map<string, number>): string {
  const id = description
    .trim()
    .replace(/[^\x21-\x7e]+/g, '-')
    .slice(0, 90);
  ids.set(id, (ids.get(id) ?? 0) + 1);
  return ids.get(id) === 1 ? id : `${id}-${ids.get(id)}`;
}

/** An experiment, without what is empty. */
export function convertedExperiment(
  name: string,
  prompt: string,
  models: string[],
  options: Members,
  checks: ExperimentCheck[],
): ImportedExperiment['experiments'][number] {
  return {
    name,
    prompt,
    models,
    ...(Object.keys(options).length > 0 && { options }),
    ...(checks.length > 0 && { checks }),
  };
}
