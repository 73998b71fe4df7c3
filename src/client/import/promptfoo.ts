import type { Check, ImportedExperiment } from '../types';
import { convertAssertions, isAssertionType, type AssertionContext } from './assertions';
import { isReference, parsedJson, type Files } from './files';
import { fail, listOf, membersOf, textOf, type Notes } from './notes';
import { convertProviders, providerTransforms } from './providers';
import { checkedVariables, finishRows, refuseTooMany, type DraftRow } from './rows';
import { convertPrompt, hasTemplate, messagesOf, variablesIn } from './templates';
import { haveSteps } from './transforms';

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
type Draft = DraftRow & { assert: unknown; modifiers: Modifiers };

/** `common` is the test whose parts all tests have. `transforms` are those of the providers. */
interface TestContext {
  files: Files;
  notes: Notes;
  common: Members;
  transforms: readonly unknown[];
  isReplaced: boolean;
}

const KNOWN = ['$schema', 'description', 'prompts', 'providers', 'targets', 'tests', 'defaultTest', 'evaluateOptions', 'redteam'];
const HARMLESS = ['tags', 'metadata', 'env', 'outputPath', 'sharing', 'outputs', 'writeLatestResults', 'commandLineOptions', 'derivedMetrics'];
const HARMLESS_RUN_OPTIONS = ['cache', 'delay', 'showProgressBar', 'timeoutMs', 'maxEvalTimeMs'];
/** Parts that change what is asked, or which rows there are: without them a row is another one. */
const LOSE_ROWS = ['transformVars', 'disableVarExpansion', 'prefix', 'suffix', 'providerOutput'];
/** Assertions in a cell of CSV, and older names of their types. */
const CELL = /^(not-)?([a-z][a-z-]*)(?:\((\d+(?:\.\d+)?)\))?(?::([^]*))?$/;
/** The threshold of an assertion in a cell that writes none. */
const CELL_THRESHOLD = 0.75;
const ALIASES: Readonly<Record<string, string>> = { fn: 'javascript', eval: 'javascript', grade: 'llm-rubric' };

/** Converts a configuration of promptfoo: a dataset, and one experiment for each prompt. */
export function convertPromptfoo(config: Members, { files, notes, name, chosen }: ImportContext): Pick<ImportedExperiment, 'rows' | 'experiments'> {
  const { defaultTest: given, evaluateOptions, description: title = name, tests, redteam } = config;
  notes.listOthers('', config, KNOWN, HARMLESS);
  if (redteam !== undefined) notes.unconverted.push({ place: 'redteam', problem: 'makes this a red team: a model writes its attacks, and a model judges them; only its own tests are rows' });
  const common = membersOf(typeof given === 'string' ? notes.attempt('defaultTest', () => files.load(given))[0] : given);
  const place = config['providers'] === undefined ? 'targets' : 'providers';
  const providers = config[place];
  const context = { files, notes, common, transforms: providerTransforms(providers), isReplaced: chosen !== undefined };
  listParts('defaultTest', common, context);
  const drafts = testsOf(tests ?? {}, files, notes).flatMap(([place, test]) => draftsOf(place, test, context));
  refuseTooMany(drafts.length);
  const found = promptsOf(config['prompts'], files, notes);
  // Where rows are lost, these are the names that they may have had.
  const written = redteam !== undefined || notes.isIncomplete ? [...JSON.stringify([found, common['assert'], tests]).matchAll(/\{\{\s*(\w+)\s*\}\}/g)] : [];
  const names = new Set([...drafts.flatMap(({ variables }) => Object.keys(variables)), ...written.map(([, each = '']) => each)]);
  const checks = checksOf(drafts, context, names);
  const { models, options } = convertProviders(providers, place, notes, chosen);
  const { repeat, parallel } = runOptionsOf(membersOf(evaluateOptions), notes);
  const prompts = found.flatMap((each) => notes.attempt(each.place, () => ({ ...each, ...systemOf(each, options), prompt: convertPrompt(each.prompt, names) })));
  const experiments = prompts.map(({ label, prompt, system }, index) => {
    const all = { ...options, ...(system !== undefined && { system }), ...(repeat !== 1 && { samples: repeat }) };
    return { name: nameOf(textOf(title), prompts.length === 1 ? '' : `: ${typeof label === 'string' ? label : `prompt ${index + 1}`}`), prompt, models, ...(Object.keys(all).length > 0 && { options: all }), ...(checks.length > 0 && { checks }), ...(typeof parallel === 'number' && { parallel: Math.min(32, parallel) }) };
  });
  const usesInput = prompts.some(({ prompt }) => prompt.includes('{input}'));
  const ofChecks = checks.map((check) => ['defaultTest.assert', JSON.stringify(check)] as const);
  const finish = (rows: readonly DraftRow[], of: typeof prompts) => finishRows(rows, [...of.map(({ place, prompt }) => [place, prompt] as const), ...ofChecks], usesInput, notes);
  const split = splitRows(drafts, prompts.map(({ prompt }) => variablesIn(prompt, names)));
  if (split === undefined) return { rows: finish(drafts, prompts), experiments };
  const used = new Set(split.flat());
  notes.unconverted.push(...drafts.filter((row) => !used.has(row)).map((row) => ({ place: row.place, problem: 'lacks a variable of each prompt; the row is left out' })));
  notes.remarks.push({ place: 'prompts', problem: 'use different variables, so that each has a data set with the rows that have them' });
  return { rows: [], experiments: experiments.map((each, index) => ({ ...each, rows: finish(split[index] ?? [], prompts.slice(index, index + 1)) })) };
}

/** @throws Unconverted for two system messages */
function systemOf({ system }: { system?: string }, options: Record<string, unknown>): { system?: string } {
  if (system !== undefined && 'system' in options) fail('has a system message, and the providers have instructions');
  return system === undefined ? {} : { system };
}

function nameOf(title: string, more: string): string {
  return title.slice(0, Math.max(0, 100 - more.length)) + more.slice(0, 100);
}

/** The rows that have the variables of each prompt, if these differ. promptfoo asks the other pairs with a hole in the prompt. */
function splitRows(rows: readonly DraftRow[], prompts: readonly string[][]): DraftRow[][] | undefined {
  const kept = prompts.map((names) => rows.filter(({ variables }) => names.every((name) => Object.hasOwn(variables, name))));
  const isSplit = kept.some((each) => each.length !== kept[0]?.length || each.some((row, index) => row !== kept[0]?.[index])) && kept.every(({ length }) => length > 0);
  return isSplit ? kept : undefined;
}

function runOptionsOf(run: Members, notes: Notes): { repeat: unknown; parallel: unknown } {
  notes.listOthers('evaluateOptions', run, ['repeat', 'maxConcurrency'], HARMLESS_RUN_OPTIONS);
  const { repeat = 1, maxConcurrency: parallel } = run;
  if (Number(parallel) > 32) notes.remarks.push({ place: 'evaluateOptions.maxConcurrency', problem: 'is 32 now, which is the maximum' });
  return { repeat, parallel };
}

/** The checks of the experiments. The rows get theirs, and those of all tests too where a test changes what these mean. */
function checksOf(drafts: readonly Draft[], context: TestContext, names: ReadonlySet<string>): Check[] {
  const { files, notes, common } = context;
  const of = (assert: unknown, place: string, modifiers: Modifiers) => convertAssertions(assert, place, { files, notes, names, ...modifiers });
  const general = modifiersOf({}, context);
  const isShared = drafts.every(({ modifiers }) => JSON.stringify(modifiers) === JSON.stringify(general));
  for (const draft of drafts) draft.checks = [...(isShared ? [] : of(common['assert'], 'defaultTest.assert', draft.modifiers)), ...of(draft.assert, `${draft.place}.assert`, draft.modifiers)];
  return isShared ? of(common['assert'], 'defaultTest.assert', general) : [];
}

/** The parts of a test, or of the common one in their place, that change the meaning of its assertions. */
function modifiersOf(test: Members, { common, transforms }: TestContext): Modifiers {
  const own = transformOf(test);
  return { transforms: [...transforms, ...(own.length > 0 ? own : transformOf(common))], isLost: thresholdIsLost(test['threshold'] ?? common['threshold'], test, common) };
}

function transformOf(test: Members): unknown[] {
  const { transform, postprocess = transform } = membersOf(test['options']);
  return listOf(transform ?? postprocess);
}

/** True if a threshold may pass a test of which an assertion fails. */
function thresholdIsLost(threshold: unknown, ...tests: Members[]): boolean {
  const { length } = tests.flatMap(({ assert }) => listOf(assert));
  return threshold !== undefined && length > 0 && Number(threshold) !== 1 && !(length === 1 && Number(threshold) > 0 && Number(threshold) < 1);
}

function listParts(place: string, test: Members, { notes, common, transforms, isReplaced }: TestContext): void {
  const options = membersOf(test['options']);
  notes.listOthers(place, test, ['vars', 'assert', 'description', 'options', 'threshold', ...LOSE_ROWS], ['metadata', 'metric', ...(isReplaced ? ['provider', 'providers'] : [])]);
  // Options of judges: the assertions that need a judge are listed themselves.
  notes.listOthers(`${place}.options`, options, ['transform', 'postprocess', ...LOSE_ROWS], ['provider', 'rubricPrompt', 'delay']);
  const list = (part: string, owner = place) => notes.unconverted.push({ place: `${owner}.${part}`, problem: 'has no counterpart; the checks that it changes are left out with it' });
  if (!haveSteps(transformOf(test))) list('options.transform');
  if (test === common && !haveSteps(transforms)) list('transform', 'providers');
  if (test !== common && thresholdIsLost(test['threshold'] ?? common['threshold'], test, common)) list('threshold');
}

/** The tests with their places: inline, or in CSV, JSON, JSONL and YAML files. */
function testsOf(given: unknown, files: Files, notes: Notes): [place: string, test: Members][] {
  return listOf(given).flatMap((one, index) => {
    const place = Array.isArray(given) ? `tests[${index}]` : 'tests';
    if (typeof one !== 'string') return [[place, membersOf(one)]];
    const found = notes.attempt(place, () => files.expand(one)).flat();
    const read = found.map((each) => [each.replace(/^file:\/\//, ''), notes.attempt(place, () => files.load(each))] as const);
    if (found.length === 0 || read.some(([, content]) => content.length === 0)) notes.isIncomplete = true;
    return read.flatMap(([file, [content]]) => listOf(content).map((test, position): [string, Members] => [`${file}[${position}]`, /\.csv$/i.test(file) ? testOfCells(membersOf(test)) : membersOf(test)]));
  });
}

/** A line of CSV: `__expected…` columns are assertions, `__description` is the description, columns without `__` are variables. */
function testOfCells(cells: Members): Members {
  const of = (isWanted: (column: string) => boolean) => Object.entries(cells).filter(([column]) => isWanted(column));
  const isExpected = (column: string) => column.startsWith('__expected');
  const others = of((column) => /^__(?!proto__|config:)/.test(column) && !isExpected(column)).filter(([, cell]) => cell !== '');
  return {
    ...Object.fromEntries(others.map(([column, cell]) => [column.replace(/^__metadata:.*$/, 'metadata').replace(/^__(?=(?:description|metric|threshold|prefix|suffix|providerOutput)$)/, ''), cell])),
    vars: Object.fromEntries(of((column) => !/^__(?!proto__)/.test(column))),
    assert: of(isExpected).filter(([, cell]) => cell !== '').map(([, cell]) => ({ ...assertionOfCell(textOf(cell).trim()), ...(of((column) => column.startsWith('__config:')).some(([, other]) => other !== '') && { config: '__config' }) })),
  };
}

function assertionOfCell(text: string): object {
  const [, not = '', written = '', threshold, value] = CELL.exec(text) ?? [];
  const type = Object.hasOwn(ALIASES, written) ? ALIASES[written] ?? '' : written;
  if (!isAssertionType(type)) return text.startsWith('file://') ? { type: 'javascript' } : { type: 'equals', value: text };
  return { type: `${not}${type}`, ...(value !== undefined && { value: value.trim() }), threshold: Number(threshold ?? CELL_THRESHOLD) };
}

/** The rows of a test: one for each combination of the values of its lists. */
function draftsOf(place: string, test: Members, context: TestContext): Draft[] {
  const { files, notes, common: { vars: common } } = context;
  const { description, assert } = test;
  const modifiers = modifiersOf(test, context);
  const members = { ...membersOf(context.common['options']), ...membersOf(test['options']), ...test };
  const combinations = notes.attempt(`${place}.vars`, () => {
    const cause = LOSE_ROWS.find((name) => members[name] !== undefined && members[name] !== false);
    if (cause !== undefined) fail(`change by ${cause}, which has no counterpart; the row is left out`);
    listParts(place, test, context);
    if ([common, test['vars']].some((vars) => vars !== undefined && (typeof vars !== 'object' || Array.isArray(vars)))) fail('are not written here; only variables within the test are read');
    const lists = Object.entries({ ...membersOf(common), ...membersOf(test['vars']) }).map(([name, value]) => (typeof value === 'string' && value.startsWith('file://') ? files.expand(value) : listOf(value ?? '')).map((each) => [name, valueOf(name, each, files)] as const));
    refuseTooMany(lists.reduce((count, list) => count * list.length, 1));
    return lists.reduce<(readonly [string, string])[][]>((rows, list) => rows.flatMap((row) => list.map((entry) => [...row, entry])), [[]]).map(checkedVariables);
  });
  if (combinations.length === 0) notes.isIncomplete = true;
  return combinations.flat().map((variables) => ({ place, variables, checks: [], assert, modifiers, ...(typeof description === 'string' && /\S/.test(description) && { id: description }) }));
}

function valueOf(name: string, value: unknown, files: Files): string {
  const content = typeof value === 'string' && value.startsWith('file://') ? files.load(value, true) : textOf(value);
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return hasTemplate(text) ? fail(`has a template in the value of ${name}`) : text;
}

/** The prompts before their templates are converted; a file may have several, between lines of `---`. */
function promptsOf(given: unknown, files: Files, notes: Notes): { place: string; label?: unknown; prompt: string; system?: string }[] {
  return listOf(given).flatMap((one, index) => {
    const place = `prompts[${index}]`;
    const { label, raw, id, ...others } = typeof one === 'string' ? { raw: one } as Members : membersOf(one);
    notes.listOthers(place, others, []);
    const found = notes.attempt(place, () => {
      const text = textOf(raw ?? id);
      if (/^(?!file:)[a-z]+:\/\/\S+$/.test(text)) fail('is in a store of prompts, which was not read');
      const references = isReference(text) ? files.expand(text) : [];
      const content = references.length > 1 ? references.map((each) => textOf(files.load(each))) : references[0] !== undefined ? files.load(references[0]) : /^\s*\[\s*\{/.test(text) ? parsedJson(text) ?? fail('is a chat that is no JSON before its variables are filled in') : [text];
      const texts = typeof content === 'string' ? content.split(/^---[ \t]*\r?$/m).map((each) => each.trim()).filter((each) => each !== '') : content;
      return listOf(texts).every((each) => typeof each === 'string') ? listOf(texts).map(messagesOf) : [messagesOf(texts)];
    });
    return found.flat().map((messages) => ({ place, label, ...messages }));
  });
}
