import { randomBytes } from 'node:crypto';
import { table } from '../experiments/report/markdown';

const [MAX_TABLE_CHARACTERS, MAX_CELL_CHARACTERS, MAX_ANSWERS_CHARACTERS] = [1900, 80, 8000];

/** A table of members of rows, such as `error.code`: as many whole rows as fit. */
export function tableOf(rows: readonly unknown[], columns: readonly string[]): string {
  const lines = rows.map((row) =>
    columns.map((path) =>
      textAt(row, path)
        .replace(/[\s|]+/g, ' ')
        .slice(0, MAX_CELL_CHARACTERS),
    ),
  );
  let shown = lines.length;
  while (table(columns, lines.slice(0, shown)).length > MAX_TABLE_CHARACTERS) shown -= 1;
  const more = shown < lines.length ? `\n\n${lines.length - shown} more are in the JSON.` : '';
  return table(columns, lines.slice(0, shown)) + more;
}

/** The text of a member, such as `error.code`; empty where there is none. */
export function textAt(value: unknown, path: string): string {
  const member = path.split('.').reduce((one, name) => (one as Record<string, unknown> | null)?.[name] ?? null, value);
  return [member].join();
}

/** The texts of models, each between marks; long ones are cut. */
export function markedAnswers(results: readonly { model: string; output: string; checks?: { outcome: string }[] }[]) {
  const most = Math.floor(MAX_ANSWERS_CHARACTERS / results.length);
  return results.map(({ model, output, checks = [] }) => {
    const outcomes = checks.length === 0 ? '' : ` checks="${checks.map(({ outcome }) => outcome).join(' ')}"`;
    const about = ` model=${JSON.stringify(model)}${outcomes}`;
    return marked('answer', output.length > most ? `${output.slice(0, most).toWellFormed()} …` : output, about);
  });
}

/** A text between marks that its writer cannot have known, and so cannot close. */
export function marked(kind: string, text: string, about = ''): string {
  const mark = randomBytes(8).toString('hex');
  return `<${kind} ${mark}${about}>\n${text.replaceAll(mark, '')}\n</${kind} ${mark}>`;
}
