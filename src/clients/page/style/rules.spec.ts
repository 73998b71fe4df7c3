import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import * as ts from 'typescript';

const ROOT = join(__dirname, '..');
const LATER = ['evaluation', 'markdown', 'history', 'eval', 'usage', 'experiments'].map((name) => `style/${name}.css`);
/** Classes that no attribute of the source names: those of cells of a table in an answer. */
const FROM_ELSEWHERE = ['align-center', 'align-right'];
/** Stands for what only the running page knows. */
const ANYTHING = '*';

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const resolved = (from: string, name: string) =>
  ['.ts', '.tsx']
    .map((ending) => relative(ROOT, join(ROOT, dirname(from), name)) + ending)
    .find((file) => existsSync(join(ROOT, file)));

/**
 * The modules that run with the first sheet alone: all that the page imports, but for imports that wait for the later
 * sheet as well.
 */
function modulesOf(entry: string, alsoLater: boolean): string[] {
  const found = [entry];
  for (const file of found) {
    const source = alsoLater ? read(file) : read(file).replace(/withLaterStyles\(import\('[^']+'\)\)/g, '');
    const names = [...source.matchAll(/(?:^(?:import|export) (?!type)[^;]*?from |\bimport\()'(\.[^']+)'/gm)].map(
      ([, name = '']) => resolved(file, name),
    );
    for (const name of names) if (name !== undefined && !found.includes(name)) found.push(name);
  }
  return found;
}

/** The texts that an expression can be, as far as its source says. */
function textsOf(node: ts.Node): string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isJsxExpression(node)) return node.expression === undefined ? [] : textsOf(node.expression);
  if (ts.isParenthesizedExpression(node)) return textsOf(node.expression);
  if (ts.isConditionalExpression(node)) return [...textsOf(node.whenTrue), ...textsOf(node.whenFalse)];
  if (ts.isTemplateExpression(node))
    return node.templateSpans.reduce(
      (starts, { expression, literal }) =>
        starts.flatMap((start) => textsOf(expression).map((middle) => start + middle + literal.text)),
      [node.head.text],
    );
  return [ANYTHING];
}

/** The class names in the source of these modules. */
function classesOf(files: readonly string[]): Set<string> {
  const texts: string[] = [];
  for (const file of files.filter((name) => name.endsWith('.tsx'))) {
    const visit = (node: ts.Node): void => {
      if (ts.isJsxAttribute(node) && node.name.getText() === 'class' && node.initializer !== undefined)
        texts.push(...textsOf(node.initializer));
      // The default of a component's own `class`.
      if (ts.isBindingElement(node) && node.propertyName?.getText() === 'class' && node.initializer !== undefined)
        texts.push(...textsOf(node.initializer));
      ts.forEachChild(node, visit);
    };
    visit(ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX));
  }
  return new Set(texts.flatMap((text) => text.split(/\s+/)).filter((name) => name !== '' && name !== ANYTHING));
}

/** The single selectors of a sheet. */
function selectorsOf(file: string): string[] {
  const css = read(file).replace(/\/\*[\s\S]*?\*\//g, '');
  return [...css.matchAll(/([^{}]+)\{/g)].flatMap(([, head = '']) =>
    head.trim().startsWith('@')
      ? []
      : head
          .trim()
          .split(/,(?![^(]*\))/)
          .map((selector) => selector.trim()),
  );
}

const namedIn = (selector: string) =>
  [...selector.replace(/:not\([^)]*\)/g, '').matchAll(/\.([a-z][\w-]*)/g)].map(([, name = '']) => name);
const matches = (pattern: string, name: string) =>
  new RegExp(`^${pattern.replaceAll(ANYTHING, '[\\w-]+')}$`).test(name);
const without = (classes: Iterable<string>, rules: readonly string[]) =>
  [...classes].filter((name) => !rules.some((rule) => matches(name, rule)));

const first = [...read('style.css').matchAll(/@import '\.\/([^']+)'/g)].flatMap(([, file = '']) => selectorsOf(file));
const later = LATER.flatMap(selectorsOf);
const early = classesOf(modulesOf('main.tsx', false));
const all = classesOf(modulesOf('main.tsx', true));

describe('The style sheets', () => {
  it('are read together with the classes that the page uses', () => {
    expect(modulesOf('main.tsx', false)).toEqual(
      expect.arrayContaining(['app.tsx', 'screens/compare-screen.tsx', 'compare/answers/answers.tsx']),
    );
    expect(modulesOf('main.tsx', false)).not.toContain('evaluation/agreement.tsx');
    expect(modulesOf('main.tsx', true)).toEqual(
      expect.arrayContaining([
        'evaluation/agreement.tsx',
        'screens/eval-screen.tsx',
        'usage/breakdown-table.tsx',
        'markdown/elements.tsx',
        'drift/drift.tsx',
        'share/share-dialog.tsx',
        'share/shared-screen.tsx',
      ]),
    );
    expect([...early]).toEqual(
      expect.arrayContaining(['finding', 'badge-passed', 'badge-failed', 'button-quiet', 'answer']),
    );
  });

  it('have a rule in the first sheet for every class of what is shown without the later one', () =>
    expect(without(early, first.flatMap(namedIn))).toEqual([]));

  it('have a rule for every other class as well', () =>
    expect(without(all, [...first, ...later].flatMap(namedIn))).toEqual([]));

  it('have no rule for a class that nothing uses', () => {
    const used = [...all, ...FROM_ELSEWHERE];
    expect(
      [...new Set([...first, ...later].flatMap(namedIn))].filter(
        (name) => !used.some((pattern) => matches(pattern, name)),
      ),
    ).toEqual([]);
  });

  it('change nothing of what is already shown when the later one comes: each of its rules names a class that only later parts use', () => {
    expect(
      later.filter((selector) =>
        namedIn(selector).every((name) => [...early].some((pattern) => matches(pattern, name))),
      ),
    ).toEqual([]);
  });
});
