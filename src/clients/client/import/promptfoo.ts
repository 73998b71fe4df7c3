import type { Check, ImportedExperiment } from '../types';
import { convertAssertions, isAssertionType, type AssertionContext } from './assertions';
import { isReference, parsedJson, type Files } from './files';
import { fail, listOf, membersOf, textOf, type Notes } from './notes';
import { convertProviders, providersOf } from './providers';
import { checkedVariables, finishRows, hasVariables, refuseTooMany, type DraftRow } from './rows';
import { convertPrompt, hasTemplate, messagesOf } from './templates';
import { areKnown } from './transforms';

/** The parts that every conversion works with: `name` is that of the file, `chosen` replaces its models. */
export interface ImportContext {
  files: Files;
  notes: Notes;
  name: string;
  chosen: readonly string[] | undefined;
}

type Members = Record<string, unknown>;
/** Parts of a test that change the meaning of all its assertions. */
type Modifiers = Pick<AssertionContext, 'transforms' | 'isLost'>;
type FoundPrompt = { place: string; label?: string; prompt: string; system?: string };
type Draft = DraftRow & { assert: unknown; modifiers: Modifiers };

/** `common` is the test whose parts all tests have. `transforms` are those of the providers. */
interface TestContext extends Pick<ImportContext, 'files' | 'notes'> {
  common: Members;
  transforms: readonly unknown[];
  isReplaced: boolean;
}

const KNOWN = [
  '$schema',
  'description',
  'prompts',
  'providers',
  'targets',
  'tests',
  'defaultTest',
  'evaluateOptions',
  'redteam',
];
const HARMLESS = [
  'tags',
  'metadata',
  'env',
  'outputPath',
  'sharing',
  'outputs',
  'writeLatestResults',
  'commandLineOptions',
  'derivedMetrics',
];
const MAX_PARALLEL = 32;
const HARMLESS_RUN_OPTIONS = ['cache', 'delay', 'showProgressBar', 'timeoutMs', 'maxEvalTimeMs'];
/** Parts that change what is asked, or which rows there are: without them a row is another one. */
const LOSE_ROWS = ['transformVars', 'disableVarExpansion', 'prefix', 'suffix', 'providerOutput'];
/** Assertions in a cell of CSV, and older names of their types. */
const CELL = /^(not-)?([a-z][a-z-]*)(?:\((\d+(?:\.\d+)?)\))?(?::([^]*))?$/;
/** The start of a column that is a member of a test. */
const CELL_MEMBER = /^__(?=(?:description|metric|threshold|prefix|suffix|providerOutput)$)/;
/** The threshold of an assertion in a cell that writes none. */
const CELL_THRESHOLD = 0.75;
const ALIASES: Readonly<Record<string, string>> = { fn: 'javascript', eval: 'javascript', grade: 'llm-rubric' };

/** Converts a configuration of promptfoo: a dataset, and one experiment for each prompt. */
export function convertPromptfoo(
  config: Members,
  { files, notes, name, chosen }: ImportContext,
): Pick<ImportedExperiment, 'rows' | 'experiments'> {
  const { defaultTest: given, evaluateOptions, description: title = name, tests, redteam } = config;
  notes.listOthers('', config, KNOWN, HARMLESS);
  if (redteam !== undefined) {
    notes.isIncomplete = true;
    notes.unconverted.push({
      place: 'redteam',
      problem:
        'makes this a red team: a model writes its attacks, and a model judges them; only its own tests are rows',
    });
  }
  const common = membersOf(
    typeof given === 'string' ? notes.attempt('defaultTest', () => files.load(given))[0] : given,
  );
  const place = config['providers'] === undefined ? 'targets' : 'providers';
  const providers = providersOf(config[place]);
  const transforms = [...new Set(providers.map(({ transform }) => transform))];
  // Several are a list, which has no counterpart.
  const context = {
    files,
    notes,
    common,
    transforms: transforms.length > 1 ? [transforms] : listOf(transforms[0]),
    isReplaced: chosen !== undefined,
  };
  listParts('defaultTest', common, context);
  const drafts = testsOf(tests, files, notes).flatMap(([place, test]) => draftsOf(place, test, context));
  refuseTooMany(drafts.length);
  const found = promptsOf(config['prompts'], files, notes);
  // Where rows are lost, these are the names that they may have had.
  const written = notes.isIncomplete
    ? [...JSON.stringify([found, common['assert'], tests]).matchAll(/\{\{\s*(\w+)\s*\}\}/g)]
    : [];
  const names = new Set([
    ...drafts.flatMap(({ variables }) => Object.keys(variables)),
    ...written.map(([, each = '']) => each),
  ]);
  const checks = checksOf(drafts, context, names);
  const { models, options } = convertProviders(providers, place, notes, chosen);
  const { repeat, maxConcurrency, ...otherRunOptions } = membersOf(evaluateOptions);
  notes.listOthers('evaluateOptions', otherRunOptions, [], HARMLESS_RUN_OPTIONS);
  const shared = { ...options, ...(Number(repeat) > 1 && { samples: repeat }) };
  const prompts = found.flatMap((each) => notes.attempt(each.place, () => askedOf(each, shared, names)));
  const experiments = prompts.map(({ label, prompt, options: all }, index) => {
    const more = prompts.length === 1 ? '' : `: ${label ?? `prompt ${index + 1}`}`.slice(0, 60);
    return {
      name: textOf(title).slice(0, 100 - more.length) + more,
      prompt,
      models,
      ...(Object.keys(all).length > 0 && { options: all }),
      ...(checks.length > 0 && { checks }),
      ...(typeof maxConcurrency === 'number' && { parallel: Math.min(MAX_PARALLEL, maxConcurrency) }),
    };
  });
  const usesInput = prompts.some(({ prompt }) => prompt.includes('{input}'));
  const ofChecks = checks.map((check) => ['defaultTest.assert', JSON.stringify(check)] as const);
  const finish = (rows: readonly DraftRow[], of: typeof prompts) =>
    finishRows(
      rows,
      [...of.map(({ place, prompt }) => [place, prompt] as const), ...ofChecks],
      usesInput,
      names,
      notes,
    );
  const rowsOf = prompts.map(({ prompt }) => drafts.filter((row) => hasVariables(row, prompt, names)));
  const used = new Set(rowsOf.flat());
  // promptfoo asks the other pairs with a hole in the prompt.
  const fewest = Math.min(used.size, ...rowsOf.map(({ length }) => length));
  if ([0, used.size].includes(fewest)) return { rows: finish(drafts, prompts), experiments };
  notes.unconverted.push(
    ...drafts
      .filter((row) => !used.has(row))
      .map((row) => ({ place: row.place, problem: 'lacks a variable of each prompt; the row is left out' })),
  );
  notes.remarks.push({
    place: 'prompts',
    problem: 'use different variables, so that each has a data set with the rows that have them',
  });
  return {
    rows: [],
    experiments: experiments.map((each, index) => ({
      ...each,
      rows: finish(rowsOf[index] ?? [], prompts.slice(index, index + 1)),
    })),
  };
}

/** A prompt as the service takes it, with the options of its experiment. @throws Unconverted */
function askedOf(
  { system, ...found }: FoundPrompt,
  shared: Members,
  names: ReadonlySet<string>,
): Omit<FoundPrompt, 'system'> & { options: Members } {
  if (system !== undefined && 'system' in shared) fail('has a system message, and the providers have instructions');
  return {
    ...found,
    prompt: convertPrompt(found.prompt, names),
    options: { ...shared, ...(system !== undefined && { system }) },
  };
}

/**
 * The checks of the experiments. The rows get theirs, and those of all tests too where a test changes what these mean.
 */
function checksOf(drafts: readonly Draft[], context: TestContext, names: ReadonlySet<string>): Check[] {
  const { files, notes, common } = context;
  const of = (assert: unknown, place: string, modifiers: Modifiers) =>
    convertAssertions(assert, place, { files, notes, names, ...modifiers });
  const general = modifiersOf({}, context);
  const isShared = drafts.every(({ modifiers }) => JSON.stringify(modifiers) === JSON.stringify(general));
  for (const draft of drafts)
    draft.checks = [
      ...(isShared ? [] : of(common['assert'], 'defaultTest.assert', draft.modifiers)),
      ...of(draft.assert, `${draft.place}.assert`, draft.modifiers),
    ];
  return isShared ? of(common['assert'], 'defaultTest.assert', general) : [];
}

/**
 * The parts of a test, or of the common one in their place, that change the meaning of its assertions. A threshold is
 * lost if it may pass a test of which an assertion fails.
 */
function modifiersOf(test: Members, { common, transforms }: TestContext): Modifiers {
  const own = transformOf(test);
  const threshold = Number(test['threshold'] ?? common['threshold'] ?? 1);
  const { length } = [common, test].flatMap(({ assert }) => listOf(assert));
  const isAll = threshold === 1 || (length === 1 && threshold > 0 && threshold < 1);
  return { transforms: [...transforms, ...(own.length > 0 ? own : transformOf(common))], isLost: length > 0 && !isAll };
}

function transformOf(test: Members): unknown[] {
  const { transform, postprocess } = membersOf(test['options']);
  return listOf(transform ?? postprocess);
}

function listParts(place: string, test: Members, context: TestContext): void {
  const { notes, common, transforms, isReplaced } = context;
  notes.listOthers(
    place,
    test,
    ['vars', 'assert', 'description', 'options', 'threshold', ...LOSE_ROWS],
    ['metadata', 'metric', ...(isReplaced ? ['provider', 'providers'] : [])],
  );
  // Options of judges: the assertions that need a judge are listed themselves.
  notes.listOthers(
    `${place}.options`,
    membersOf(test['options']),
    ['transform', 'postprocess', ...LOSE_ROWS],
    ['provider', 'rubricPrompt', 'delay'],
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
function testsOf(given: unknown, files: Files, notes: Notes): [place: string, test: Members][] {
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
    threshold: Number(threshold ?? CELL_THRESHOLD),
  };
}

/** The rows of a test: one for each combination of the values of its lists. */
function draftsOf(place: string, test: Members, context: TestContext): Draft[] {
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

/** The prompts before their templates are converted. */
function promptsOf(given: unknown, files: Files, notes: Notes): FoundPrompt[] {
  return listOf(given).flatMap((one, index) => {
    const place = `prompts[${index}]`;
    const { label, raw, id, ...others } = typeof one === 'string' ? ({ raw: one } as Members) : membersOf(one);
    notes.listOthers(place, others, []);
    const found = notes.attempt(place, () => {
      const text = textOf(raw ?? id);
      if (/^(?!file:)[a-z]+:\/\/\S+$/.test(text)) fail('is in a store of prompts, which was not read');
      if (isReference(text)) return files.expand(text).flatMap((each) => promptsOfFile(files.load(each)));
      return [
        messagesOf(
          /^\s*\[\s*\{/.test(text)
            ? (parsedJson(text) ?? fail('is a chat that is no JSON before its variables are filled in'))
            : text,
        ),
      ];
    });
    return found.flat().map((messages) => ({ place, ...(typeof label === 'string' && { label }), ...messages }));
  });
}

/** A file has prompts between lines of `---`, a list of prompts, or one chat. @throws Unconverted */
function promptsOfFile(content: unknown): { prompt: string; system?: string }[] {
  const texts =
    typeof content === 'string'
      ? content
          .split(/^---[ \t]*\r?$/m)
          .map((each) => each.trim())
          .filter((each) => each !== '')
      : listOf(content);
  return texts.every((each) => typeof each === 'string') ? texts.map(messagesOf) : [messagesOf(content)];
}
