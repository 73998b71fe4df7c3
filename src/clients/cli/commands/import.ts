import { basename, dirname, join } from 'node:path';
import {
  CompareError,
  importExperiment,
  type ImportedExperiment,
  type ImportNote,
  type ImportOptions,
} from '../../client/client';
import { EXIT, UsageError } from '../exit-codes';
import { fileText } from '../files';
import { partsOf } from '../lists';
import type { System } from '../system';
import { Terminal } from '../terminal';
import { oneLine, pluralize } from '../text';

/** Options of `mcs import`. */
export interface ImportCommandOptions {
  output: string;
  models?: string[];
  judge?: string;
  skipUnconverted?: boolean;
}

/**
 * mcs import: writes a dataset and experiments made of a file of another tool. Nothing is sent, and nothing is
 * overwritten.
 */
export async function importCommand(
  system: System,
  path: string,
  { output, models, judge, skipUnconverted }: ImportCommandOptions,
): Promise<number> {
  const terminal = new Terminal(system, false);
  const converted = await convertedOf(system, path, { models: models?.flatMap(partsOf), judge });
  const files = filesOf(converted);
  const isWritten = files.length > 0 && (converted.unconverted.length === 0 || skipUnconverted === true);
  if (isWritten)
    writeAll(
      system,
      files.map(({ name, text }) => [join(output, name), text]),
    );
  terminal.print(
    `${oneLine(basename(path))} (${converted.source})`,
    ...(isWritten ? files : []).map(({ name, content }) => `  ${join(output, name)}: ${oneLine(content)}`),
  );
  printNotes(terminal, 'Not converted', converted.unconverted);
  printNotes(terminal, 'Converted with a difference, or left out', converted.remarks);
  if (!isWritten)
    terminal.note(
      files.length === 0 ? 'Nothing is left to write.' : 'Nothing was written. To write the rest: --skip-unconverted',
    );
  return isWritten ? EXIT.done : EXIT.usage;
}

/** @throws UsageError */
async function convertedOf(
  system: System,
  path: string,
  chosen: Pick<ImportOptions, 'models' | 'judge'>,
): Promise<ImportedExperiment> {
  try {
    return await importExperiment(fileText(system, path), {
      name: basename(path),
      readFile: (below) => system.readFileBelow(dirname(path), below),
      listFiles: (below) => system.listFilesBelow(dirname(path), below),
      ...chosen,
    });
  } catch (error) {
    throw error instanceof CompareError ? new UsageError(error.message) : error;
  }
}

function filesOf({ rows, experiments }: ImportedExperiment): { name: string; text: string; content: string }[] {
  const numbered = (kind: string, index: number) => (index === 0 ? kind : `${kind}-${index + 1}`);
  const datasets = [
    ...(rows.length > 0 ? [rows] : []),
    ...experiments.flatMap(({ rows: own }) => (own === undefined ? [] : [own])),
  ];
  return [
    ...datasets.map((each, index) => ({
      name: `${numbered('dataset', index)}.jsonl`,
      text: each.map((row) => `${JSON.stringify(row)}\n`).join(''),
      content: pluralize(each.length, 'row'),
    })),
    ...experiments.map(({ rows: own, ...experiment }, index) => ({
      name: `${numbered('experiment', index)}.json`,
      text: `${JSON.stringify({ ...experiment, ...(own !== undefined && { dataset: `${numbered('dataset', index)}.jsonl` }) }, null, 2)}\n`,
      content: `${experiment.name}, ${experiment.models.length === 0 ? 'without a model' : `on ${experiment.models.join(', ')}`}`,
    })),
  ];
}

/** All of them or none. @throws UsageError */
function writeAll(system: System, files: readonly (readonly [path: string, text: string])[]): void {
  for (const [index, [path, text]] of files.entries()) {
    try {
      system.writeNewFile(path, text);
    } catch (error) {
      for (const [written] of files.slice(0, index)) system.removeFile(written);
      const { code = 'unknown reason' } = error as NodeJS.ErrnoException;
      throw new UsageError(
        code === 'EEXIST'
          ? `${path} exists. Choose another folder with --output.`
          : `${path} cannot be written (${code}).`,
      );
    }
  }
}

function printNotes(terminal: Terminal, title: string, notes: readonly ImportNote[]): void {
  if (notes.length > 0)
    terminal.print(
      `${title}: ${notes.length}`,
      ...notes.map(({ place, problem }) => `  ${oneLine(`${place} ${problem}`)}`),
    );
}
