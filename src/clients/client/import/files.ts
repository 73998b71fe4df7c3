import type * as Yaml from 'yaml';
import { CompareError } from '../errors';
import { fail } from './notes';

const MAX_YAML_CHARACTERS = 2_097_152;
const MAX_CHARACTERS = 67_108_864;
const MAX_DEPTH = 100;
const MAX_VALUES = 2_000_000;
const CODE = /\.(?:[cm]?[jt]sx?|py|rb|sh|go)(?::\w+)?$/i;
/** Files that promptfoo runs, or sends as a picture or the text of a document, where a variable names them. */
const NO_VARIABLE = /\.(?:[cm]?[jt]s|py|pdf|svg|png|jpe?g|gif|bmp|webp)(?::\w+)?$/i;
const TEXT = /\.(?:txt|md|j2|html?|xml)$/i;
const DATA = /\.(?:jsonl?|ya?ml|csv)$/i;

/** True if a text is the name of a file, with `file://` or without. */
export function isReference(text: string): boolean {
  return (
    text.startsWith('file://') || (/^[^\s{}]+$/.test(text) && [CODE, TEXT, DATA].some((ending) => ending.test(text)))
  );
}

/** The error of a file that is not converted at all. */
export function refusal(problem: string): CompareError {
  return new CompareError(problem, { code: 'invalid_import' });
}

/** Parses the imported file, and the files below its folder that it names. */
export class Files {
  private left = MAX_CHARACTERS;

  /** @param yaml the library, which is loaded for imports only */
  constructor(
    private readonly yaml: Pick<typeof Yaml, 'parseDocument' | 'visit'>,
    private readonly read: (path: string) => string = () => fail('names a file, and files cannot be read here'),
    private readonly list: (folder: string) => string[] = () => fail('names a folder, and folders cannot be read here'),
  ) {}

  /**
   * The content of a file, parsed if its name is that of data. As a variable, any text is read and only JSON and YAML
   * are parsed. @throws Unconverted
   */
  load(reference: string, isVariable = false): unknown {
    const path = pathOf(reference);
    if ((isVariable ? NO_VARIABLE : CODE).test(path))
      fail(`names ${reference}, which is ${CODE.test(path) ? 'code; no code is run' : 'no text'}`);
    const isText = isVariable ? !/\.(?:json|ya?ml)$/i.test(path) : TEXT.test(path);
    if (!isText && !DATA.test(path)) fail(`names ${reference}; only files of text, JSON, JSONL, YAML and CSV are read`);
    const text = this.textOf(path);
    return isText ? text : attempted(path, () => this.parse(text, path));
  }

  /** The messages of a prompt that is a chat in JSON or YAML; another prompt itself. @throws Unconverted */
  chatOf(text: string): unknown {
    const kind = /^\s*\[\s*\{/.test(text) ? 'JSON' : /^\s*- role:/.test(text) ? 'YAML' : undefined;
    if (kind === undefined) return text;
    try {
      return kind === 'JSON' ? JSON.parse(text) : this.parse(text, 'chat.yaml');
    } catch {
      return fail(`is a chat that is no ${kind} before its variables are filled in`);
    }
  }

  /** The files that a name with wildcards matches, in order; any other name alone. @throws Unconverted */
  expand(reference: string): string[] {
    if (!/[*?]/.test(reference)) return [reference];
    const path = pathOf(reference);
    const pattern = new RegExp(
      `^${path.replace(/[.+^$()|[\]{}]/g, '\\$&').replace(/\*\*\/|\*+|\?/g, (found) => (found === '**/' ? '(?:[^./][^/]*/)*' : found === '?' ? '[^/]' : '(?!\\.)[^/]*'))}$`,
    );
    const found = attempted(reference, () => this.list(path.replace(/[^/]*[*?][^]*$/, '')))
      .filter((each) => pattern.test(each))
      .sort();
    return found.length === 0
      ? fail(`names ${reference}, which no file matches`)
      : found.map((each) => `file://${each}`);
  }

  private textOf(path: string): string {
    const text = attempted(path, () => this.read(path));
    if (/[\0\ufffd]/.test(text)) fail(`names ${path}, which is no text in UTF-8`);
    this.left -= text.length;
    if (this.left < 0) throw refusal('The files together are longer than 64 MiB.');
    return text;
  }

  /** The value of a CSV, JSON, JSONL or YAML text. @throws CompareError invalid_import */
  parse(text: string, name: string): unknown {
    if (text.length > MAX_CHARACTERS) throw refusal(`${name} is longer than 64 MiB.`);
    const value = /\.csv$/i.test(name)
      ? csvRows(text, name)
      : /\.ya?ml$/i.test(name) || !/^\s*[[{]/.test(text)
        ? this.parseYaml(text, name)
        : (parsedJson(text) ?? jsonLines(text, name));
    refuseUnbounded(value, name);
    return value;
  }

  private parseYaml(text: string, name: string): unknown {
    if (text.length > MAX_YAML_CHARACTERS)
      throw refusal(`${name} is YAML of more than 2 MiB. Move its tests to a JSONL file.`);
    try {
      // The search for repeated names of the library takes minutes on long maps.
      const document = this.yaml.parseDocument(text, { uniqueKeys: false, merge: true, logLevel: 'error' });
      for (const error of [...document.errors, ...document.warnings]) throw error;
      this.yaml.visit(document, {
        Map: (_, { items }) =>
          void (
            new Set(items.map(({ key }) => String(key))).size < items.length && fail('a name is repeated in a map')
          ),
      });
      // Of 100 uses of anchors on, a short text may become a value that fills the memory.
      return document.toJS({ maxAliasCount: 100 });
    } catch (error) {
      throw refusal(
        `${name} cannot be read as YAML: ${String((error as Error).message)
          .split('\n')[0]
          ?.replace(/:$/, '')}.`,
      );
    }
  }
}

/** The path of a file below the folder. @throws Unconverted */
function pathOf(reference: string): string {
  const path = reference.replace(/^file:\/\//, '').replace(/^(?:\.\/)+/, '');
  return /^[/~]|^[a-z]:|[\\\0%]|^\.\.\/|\/\.\.(?:\/|$)/i.test(path)
    ? fail(`names ${reference}, which is not below the folder of this file and was not read`)
    : path;
}

/** @throws Unconverted where reading a part of the import fails */
function attempted<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    return fail(`names ${path}, which cannot be read: ${(error as Error).message.replace(/\.$/, '')}`);
  }
}

/** The value of a JSON text, or undefined. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function jsonLines(text: string, name: string): unknown[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    if (line.trim() === '') return [];
    const value = parsedJson(line);
    if (value === undefined) throw refusal(`Line ${index + 1} of ${name} is not JSON.`);
    return [value];
  });
}

/** The lines of a CSV text (RFC 4180) by the names of its first line. @throws CompareError invalid_import */
function csvRows(text: string, file: string): Record<string, string>[] {
  const [names = [], ...rows] = csvCells(text.replace(/^\ufeff/, ''), file).filter(
    (cells) => cells.length > 1 || cells[0] !== '',
  );
  if (rows.some((cells) => cells.length > names.length) || new Set(names).size < names.length)
    throw refusal(`${file} has a line with more cells than columns, or a column twice.`);
  return rows.map((cells) => Object.fromEntries(names.map((name, i) => [name.trim(), cells[i] ?? ''])));
}

function csvCells(text: string, file: string): string[][] {
  const lines: string[][] = [[]];
  const cell = /(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|\r?\n|$)/y;
  for (let found = cell.exec(text); found !== null; found = cell.exec(text)) {
    lines.at(-1)?.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? '');
    if (found[3] === '') return lines;
    if (found[3] !== ',') lines.push([]);
  }
  throw refusal(`${file} has a quotation mark within a cell, or without its end.`);
}

/** Aliases make a short text a large value, or a value that contains itself. @throws CompareError invalid_import */
function refuseUnbounded(root: unknown, name: string): void {
  let count = 0;
  const visit = (value: unknown, depth: number): void => {
    count += 1;
    if (depth > MAX_DEPTH || count > MAX_VALUES)
      throw refusal(
        `${name} is nested more than ${MAX_DEPTH} levels deep, or has more than ${MAX_VALUES.toLocaleString('en-US')} values.`,
      );
    if (typeof value === 'object' && value !== null)
      for (const member of Object.values(value)) visit(member, depth + 1);
  };
  visit(root, 0);
}
