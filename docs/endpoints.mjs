// Part of npm run openapi:generate: writes the tables of endpoints in docs/api.md, between two of its headings, from docs/openapi.json.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [BEGIN, END] = ['## Endpoints\n', '### Without a key\n'];
const file = join(import.meta.dirname, 'api.md');

/** The tables: a heading for each tag of the API document, and a row for each operation with its summary. */
export function tablesOf({ tags, paths }) {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([
        method,
        {
          tags: [tag],
          summary,
        },
      ]) => ({
        tag,
        row: `| \`${method.toUpperCase()} ${path}\` | ${summary} |`,
      }),
    ),
  );
  return tags.map(({ name, description }) => {
    const rows = operations.filter(({ tag }) => tag === name).map(({ row }) => row);
    return `### ${name}\n\n${description}\n\n| Endpoint | Purpose |\n| --- | --- |\n${rows.join('\n')}\n`;
  });
}

/** The page with new tables, made from this document. */
export function withTables(page, document) {
  const [before, rest] = page.split(BEGIN);
  return [before, BEGIN, `\n${tablesOf(document).join('\n')}\n`, END, rest.split(END)[1]].join('');
}

if (process.argv[1] === import.meta.filename) {
  const document = JSON.parse(readFileSync(join(import.meta.dirname, 'openapi.json'), 'utf8'));
  writeFileSync(file, withTables(readFileSync(file, 'utf8'), document));
}
