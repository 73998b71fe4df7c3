import { basename } from 'node:path';
import type { CreatedDataset, DatasetFormat } from '../../client/client';
import type { CommonOptions, Context } from '../context';
import { EXIT, UsageError } from '../exit-codes';
import { fileBytes } from '../files';
import { firstOf } from '../lists';
import { numberOf, textArgument } from '../request';
import { oneLine, pluralize } from '../text';

const FORMATS = ['jsonl', 'csv', 'json'];

/** Options of `mcs datasets push`. */
export interface DatasetPushOptions extends CommonOptions {
  name?: string;
  format?: string;
  input?: string;
  expected?: string;
  group?: string;
  id?: string;
  skip?: string[];
}

/** mcs datasets push: stores the rows of a file; the same name and content give the same data set. */
export async function pushDatasetCommand(
  { mcs, terminal, system }: Context,
  file: string,
  {
    name = file === '-' ? undefined : basename(file),
    format,
    skip,
    json,
    input,
    expected,
    group,
    id,
  }: DatasetPushOptions,
): Promise<number> {
  if (format !== undefined && !FORMATS.includes(format)) throw new UsageError('--format must be jsonl, csv or json.');
  const source = file === '-' ? await textArgument(system, '-', undefined) : fileBytes(system, file);
  const dataset = await mcs.datasets.create(source, {
    name,
    input,
    expected,
    group,
    id,
    skip: skip?.join(),
    format: (format ?? formatOf(file)) as DatasetFormat,
  });
  if (json === true) terminal.printJson(dataset);
  else printStored(terminal, dataset);
  return EXIT.done;
}

function printStored(terminal: Context['terminal'], dataset: CreatedDataset): void {
  terminal.print(oneLine(dataset.dataset_id));
  terminal.note(
    `${pluralize(dataset.rows, 'row')}${dataset.groups > 0 ? ` in ${pluralize(dataset.groups, 'group')}` : ''}, with ${dataset.columns.map(oneLine).join(', ')}.`,
  );
  for (const note of dataset.notes) terminal.note(oneLine(note));
}

/** mcs datasets: data sets, newest first. */
export async function datasetsCommand(
  { mcs, terminal }: Context,
  { number, json }: CommonOptions & { number: string },
): Promise<number> {
  const datasets = await firstOf(numberOf('--number', number), (query) => mcs.datasets.list(query));
  terminal.printList(
    json,
    { datasets },
    {
      head: ['data set', 'name', 'rows', 'created'],
      lines: datasets.map(({ dataset_id: id, name, rows, created_at: created }) => [
        id,
        name,
        String(rows),
        terminal.time(created),
      ]),
      right: [2],
      flexible: 1,
      optional: [3],
    },
  );
  return EXIT.done;
}

/** mcs datasets rows: its first rows in the drawn order. */
export async function datasetRowsCommand(
  { mcs, terminal }: Context,
  id: string,
  { number, json }: CommonOptions & { number: string },
): Promise<number> {
  const rows = await firstOf(numberOf('--number', number), (query) => mcs.datasets.rows(id, query));
  terminal.printList(
    json,
    { rows },
    {
      head: ['no', 'row', 'group', 'expected', 'input'],
      lines: rows.map(({ no, id: rowId, group, expected, input, variables }) => [
        String(no),
        rowId,
        group ?? '',
        expected ?? '',
        input ?? JSON.stringify(variables),
      ]),
      right: [0],
      flexible: 4,
      optional: [2, 3],
    },
  );
  return EXIT.done;
}

/** mcs datasets rm: deletes a data set for good. */
export async function removeDatasetCommand({ mcs, terminal }: Context, id: string): Promise<number> {
  await mcs.datasets.delete(id);
  terminal.note('Deleted.');
  return EXIT.done;
}

function formatOf(file: string): string | undefined {
  return FORMATS.find((format) => file.toLowerCase().endsWith(`.${format}`));
}
