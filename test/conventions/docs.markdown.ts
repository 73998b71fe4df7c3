import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const ROOT = join(__dirname, '../..');

/** A Markdown file of this repository. */
export interface Document {
  /** Relative to the repository. */
  path: string;
  text: string;
}

/** All Markdown files of the repository, by path. */
export function allDocuments(): Document[] {
  const paths = [
    ...globSync('*.md', { cwd: ROOT }),
    ...globSync('{.github,deploy,docs,src,test,bench,migrations}/**/*.md', {
      cwd: ROOT,
      exclude: ['**/node_modules/**'],
    }),
  ];
  return paths.sort().map((path) => ({ path, text: read(path) }));
}

/** The text of a file, by its path in the repository. */
export function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** True if that path of the repository exists; `*` matches any name. */
export function exists(path: string): boolean {
  return path.includes('*') ? globSync(path, { cwd: ROOT }).length > 0 : existsSync(join(ROOT, path));
}

/** The text under a heading, up to the next heading of its level or above. */
export function sectionOf(text: string, heading: string): string {
  const level = /^#+/.exec(heading)?.[0].length ?? 1;
  const lines = text.split('\n');
  const begin = lines.indexOf(heading);
  if (begin < 0) throw new Error(`There is no heading "${heading}".`);
  const length = lines.slice(begin + 1).findIndex((line) => (/^(#+) /.exec(line)?.[1]?.length ?? Infinity) <= level);
  return lines.slice(begin + 1, length < 0 ? undefined : begin + 1 + length).join('\n');
}

/** The cells of each row of the tables in a text, without headings. */
export function rowsOf(text: string): string[][] {
  const rows = text.split('\n').map((line) => (line.startsWith('|') ? cellsOf(line) : []));
  const isRule = (row: string[] | undefined) =>
    row !== undefined && row.length > 0 && row.every((cell) => /^:?-+:?$/.test(cell));
  return rows.filter((row, index) => row.length > 0 && !isRule(row) && !isRule(rows[index + 1]));
}

/** The texts in backticks. */
export function codeIn(text: string): string[] {
  return [...text.matchAll(/`([^`\n]+)`/g)].map(([, code]) => code ?? '');
}

/** The broken links of a document to other files of the repository. */
export function brokenLinks({ path, text }: Document): string[] {
  const targets = [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target ?? '');
  return targets
    .filter((target) => !/^[a-z]+:/.test(target) && !leadsSomewhere(path, target))
    .map((target) => `${path}: ${target}`);
}

function leadsSomewhere(from: string, target: string): boolean {
  const [file = '', anchor] = target.split('#');
  const path = file === '' ? from : relative(ROOT, join(ROOT, dirname(from), file));
  if (!exists(path)) return false;
  return anchor === undefined || anchorsOf(read(path)).includes(anchor);
}

/** The anchors that GitHub gives to the headings of a document. */
function anchorsOf(text: string): string[] {
  const headings = [...withoutCode(text).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading ?? '');
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function withoutCode(text: string): string {
  return text.replace(/^```[^]*?^```/gm, '');
}

// A pipe inside a cell is written as \|.
function cellsOf(line: string): string[] {
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}
