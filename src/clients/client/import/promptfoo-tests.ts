import { isAssertionType, type AssertionContext } from './assertions';
import type { Files } from './files';
import { fail, listOf, membersOf, textOf, type Members, type Notes } from './notes';
import { checkedVariables, refuseTooMany } from './rows';
import { JUDGED, type RubricDraft } from './rubrics';
import { hasTemplate } from './templates';
import { areKnown } from './transforms';

/** Parts of a test that change the meaning of all its assertions. */
export type Modifiers = Pick<AssertionContext, 'transforms' | 'isLost' | 'grader'>;
/** A row with the assertions of its test. */
export type TestDraft = RubricDraft & { assert: unknown; modifiers: Modifiers };

/** `common` is the test whose parts all tests have. `transforms` are those of the providers. */
export interface TestContext {
  files: Files;
  notes: Notes;
  common: Members;
  transforms: readonly unknown[];
  isReplaced: boolean;
  judge: string | undefined;
}

/** Parts that change what is asked, or which rows there are: without them a row is another one. */
const LOSE_ROWS = ['transformVars', 'disableVarExpansion', 'prefix', 'suffix', 'providerOutput'];
/** Assertions in a cell of CSV, and older names of their types. */
const CELL = /^(not-)?([a-z][a-z-]*)(?:\((\d+(?:\.\d+)?)\))?(?::([^]*))?$/;
/** The start of a column that is a member of a test. */
const CELL_MEMBER = /^__(?=(?:description|metric|threshold|prefix|suffix|providerOutput)$)/;
/** The threshold of an assertion in a cell that writes none. */
const CELL_THRESHOLD = 0.75;
const ALIASES: Readonly<Record<string, string>> = { fn: 'javascript', eval: 'javascript', grade: 'llm-rubric' };

/**
 * The parts of a test, or of the common one in their place, that change the meaning of its assertions. A threshold is
 * lost if it may pass a test of which an assertion fails.
 */
export function modifiersOf(test: Members, { common, transforms }: TestContext): Modifiers {
  const own = transformOf(test);
  const threshold = Number(test['threshold'] ?? common['threshold'] ?? 1);
  const { length } = [common, test].flatMap(({ assert }) => listOf(assert));
  const isAll = threshold === 1 || (length === 1 && threshold > 0 && threshold < 1);
  return {
    transforms: [...transforms, ...(own.length > 0 ? own : transformOf(common))],
    isLost: length > 0 && !isAll,
    grader: graderOf(test) ?? graderOf(common),
  };
}

function graderOf({ options }: Members): unknown {
  return membersOf(options)['provider'];
}

function transformOf(test: Members): unknown[] {
  const { transform, postprocess } = membersOf(test['options']);
  return listOf(transform ?? postprocess);
}

export function listParts(place: string, test: Members, context: TestContext): void {
  const { notes, common, transforms, isReplaced } = context;
  notes.listOthers(
    place,
    test,
    ['vars', 'assert', 'description', 'options', 'threshold', ...LOSE_ROWS],
    ['metadata', 'metric', ...(isReplaced ? ['provider', 'providers'] : [])],
  );
  // Options of judges: the assertions that need a judge are converted with them, or listed themselves.
  notes.listOthers(
    `${place}.options`,
    membersOf(test['options']),
    ['transform', 'postprocess', 'provider', 'rubricPrompt', ...LOSE_ROWS],
    ['delay'],
  );
  const lost = {
    [`${place}.options.transform`]: transformOf(test).length > 0 && !areKnown([...transforms, ...transformOf(test)]),
    'providers.transform': test === common && !areKnown(transforms),
    [`${place}.threshold`]: test !== common && modifiersOf(test, context).isLost,
  };
  for (const [part] of Object.entries(lost).filter(([, isLost]) => isLost))
    notes.unconverted.push({
      place: part,
      problem: 'has no counterpart; the checks that it changes are left out with it',
    });
}

/**
 * The tests with their places: inline, or in CSV, JSON, JSONL and YAML files. Without tests, the prompts are asked
 * once; those of a red team are not.
 */
export function testsOf(given: unknown, files: Files, notes: Notes): [place: string, test: Members][] {
  return listOf(given ?? (notes.isIncomplete ? [] : {})).flatMap((one, index) => {
    const place = Array.isArray(given) ? `tests[${index}]` : 'tests';
    if (typeof one !== 'string') return [[place, membersOf(one)]];
    const found = notes.attempt(place, () => files.expand(one)).flat();
    const read = found.map(
      (each) => [each.replace(/^file:\/\//, ''), notes.attempt(place, () => files.load(each))] as const,
    );
    if (found.length === 0 || read.some(([, content]) => content.length === 0)) notes.isIncomplete = true;
    return read.flatMap(([file, [content]]) =>
      listOf(content).map((test, position): [string, Members] => [
        `${file}[${position}]`,
        /\.csv$/i.test(file) ? testOfCells(membersOf(test)) : membersOf(test),
      ]),
    );
  });
}

/**
 * A line of CSV: `__expected…` columns are assertions, other columns with `__` are members of the test, the rest are
 * variables.
 */
function testOfCells(cells: Members): Members {
  const isVariable = ([column]: [string, unknown]) => !/^__(?!proto__)/.test(column);
  const others = Object.entries(cells).filter((entry) => !isVariable(entry) && entry[1] !== '');
  const of = (start: string) => others.filter(([column]) => column.startsWith(start));
  const isConfigured = of('__config:').length > 0;
  return {
    ...Object.fromEntries(
      others
        .filter(([column]) => !/^__(?:expected|config:)/.test(column))
        .map(([column, cell]) => [column.replace(/^__metadata:.*$/, 'metadata').replace(CELL_MEMBER, ''), cell]),
    ),
    vars: Object.fromEntries(Object.entries(cells).filter(isVariable)),
    assert: of('__expected').map(([, cell]) => ({
      ...assertionOfCell(textOf(cell).trim()),
      ...(isConfigured && { config: '__config' }),
    })),
  };
}

function assertionOfCell(text: string): object {
  const [, not = '', written = '', threshold, value] = CELL.exec(text) ?? [];
  const type = Object.hasOwn(ALIASES, written) ? (ALIASES[written] ?? '') : written;
  if (!isAssertionType(type))
    return text.startsWith('file://') ? { type: 'javascript' } : { type: 'equals', value: text };
  return {
    type: `${not}${type}`,
    ...(value !== undefined && { value: value.trim() }),
    ...cellThreshold(type, threshold),
  };
}

/** A threshold of a judge is not read in a cell. */
function cellThreshold(type: string, threshold: string | undefined): object {
  return JUDGED.includes(type) ? {} : { threshold: Number(threshold ?? CELL_THRESHOLD) };
}

/** The rows of a test: one for each combination of the values of its lists. */
export function draftsOf(place: string, test: Members, context: TestContext): TestDraft[] {
  const {
    files,
    notes,
    common: { vars: common },
  } = context;
  const { description, assert } = test;
  const modifiers = modifiersOf(test, context);
  const members = { ...membersOf(context.common['options']), ...membersOf(test['options']), ...test };
  const combinations = notes.attempt(`${place}.vars`, () => {
    const cause = LOSE_ROWS.find((name) => members[name] !== undefined && members[name] !== false);
    if (cause !== undefined) fail(`change by ${cause}, which has no counterpart; the row is left out`);
    listParts(place, test, context);
    if ([common, test['vars']].some((vars) => vars !== undefined && (typeof vars !== 'object' || Array.isArray(vars))))
      fail('are not written here; only variables within the test are read');
    const lists = Object.entries({ ...membersOf(common), ...membersOf(test['vars']) }).map(([name, value]) =>
      (typeof value === 'string' && value.startsWith('file://') ? files.expand(value) : listOf(value ?? '')).map(
        (each) => [name, valueOf(name, each, files)] as const,
      ),
    );
    refuseTooMany(lists.reduce((count, list) => count * list.length, 1));
    return lists
      .reduce<(readonly [string, string])[][]>(
        (rows, list) => rows.flatMap((row) => list.map((entry) => [...row, entry])),
        [[]],
      )
      .map(checkedVariables);
  });
  if (combinations.length === 0) notes.isIncomplete = true;
  return combinations.flat().map((variables) => ({
    place,
    variables,
    checks: [],
    rubrics: [],
    assert,
    modifiers,
    ...(typeof description === 'string' && /\S/.test(description) && { id: description }),
  }));
}

function valueOf(name: string, value: unknown, files: Files): string {
  const content = typeof value === 'string' && value.startsWith('file://') ? files.load(value, true) : textOf(value);
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return hasTemplate(text) ? fail(`has a template in the value of ${name}`) : text;
}
