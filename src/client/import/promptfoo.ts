import type { ImportedExperiment } from '../types';
import { convertAssertions, isAssertionType } from './assertions';
import { isReference, parsedJson, type Files } from './files';
import { fail, listOf, membersOf, textOf, type Notes } from './notes';
import { convertProviders } from './providers';
import { checkedVariables, finishRows, refuseTooMany, type DraftRow } from './rows';
import { convertPrompt, hasTemplate, messagesOf } from './templates';

/** The parts that every conversion works with: `name` is that of the file, `chosen` replaces its models. */
export interface ImportContext {
  files: Files;
  notes: Notes;
  name: string;
  chosen: readonly string[] | undefined;
}

type Members = Record<string, unknown>;

const KNOWN = ['$schema', 'description', 'prompts', 'providers', 'targets', 'tests', 'defaultTest', 'evaluateOptions'];
const HARMLESS = ['tags', 'metadata', 'env', 'outputPath', 'sharing', 'writeLatestResults', 'commandLineOptions'];
const HARMLESS_RUN_OPTIONS = ['cache', 'delay', 'showProgressBar', 'timeoutMs', 'maxEvalTimeMs'];
/** Assertions in a cell of CSV, and older names of their types. */
const CELL = /^(not-)?([a-z][a-z-]*)(?:\((\d+(?:\.\d+)?)\))?(?::([^]*))?$/;
/** The threshold of an assertion in a cell that writes none. */
const CELL_THRESHOLD = 0.75;
const ALIASES: Readonly<Record<string, string>> = { fn: 'javascript', eval: 'javascript', grade: 'llm-rubric' };

/** Converts a configuration of promptfoo: a dataset, and one experiment for each prompt. */
export function convertPromptfoo(config: Members, { files, notes, name, chosen }: ImportContext): Pick<ImportedExperiment, 'rows' | 'experiments'> {
  notes.listOthers('', config, KNOWN, HARMLESS);
  const { defaultTest: given, evaluateOptions, description: title = name, tests, providers, targets } = config;
  const common = membersOf(typeof given === 'string' ? notes.attempt('defaultTest', () => files.load(given))[0] : given);
  listParts('defaultTest', common, notes);
  const drafts = testsOf(tests ?? {}, files, notes).flatMap(([place, test]) => draftsOf(place, test, common['vars'], files, notes));
  refuseTooMany(drafts.length);
  const names = new Set(drafts.flatMap(({ variables }) => Object.keys(variables)));
  for (const draft of drafts) draft.checks = convertAssertions(draft.assert, `${draft.place}.assert`, { files, notes, names });
  const checks = convertAssertions(common['assert'], 'defaultTest.assert', { files, notes, names });
  const { models, options } = convertProviders(providers ?? targets, providers === undefined ? 'targets' : 'providers', notes, chosen);
  const run = membersOf(evaluateOptions);
  notes.listOthers('evaluateOptions', run, ['repeat', 'maxConcurrency'], HARMLESS_RUN_OPTIONS);
  const { repeat = 1, maxConcurrency: parallel } = run;
  if (Number(parallel) > 32) notes.remarks.push({ place: 'evaluateOptions.maxConcurrency', problem: 'is 32 now, which is the maximum' });
  const prompts = promptsOf(config['prompts'], files, notes).flatMap((each) => notes.attempt(each.place, () => ({ ...each, prompt: convertPrompt(each.prompt, names) })));
  const experiments = prompts.map(({ label, prompt, system }, index) => {
    const all = { ...options, ...(system !== undefined && { system }), ...(repeat !== 1 && { samples: repeat }) };
    const more = prompts.length === 1 ? '' : `: ${typeof label === 'string' ? label : `prompt ${index + 1}`}`;
    return { name: textOf(title).slice(0, Math.max(0, 100 - more.length)) + more.slice(0, 100), prompt, models, ...(Object.keys(all).length > 0 && { options: all }), ...(checks.length > 0 && { checks }), ...(typeof parallel === 'number' && { parallel: Math.min(32, parallel) }) };
  });
  const texts = [...prompts.map(({ place, prompt }) => [place, prompt] as const), ...checks.map((check) => ['defaultTest.assert', JSON.stringify(check)] as const)];
  return { rows: finishRows(drafts, texts, prompts.some(({ prompt }) => prompt.includes('{input}')), notes), experiments };
}

function listParts(place: string, test: Members, notes: Notes): void {
  notes.listOthers(place, test, ['vars', 'assert', 'description', 'options'], ['metadata']);
  // Options of judges: the assertions that need a judge are listed themselves.
  notes.listOthers(`${place}.options`, membersOf(test['options']), ['provider', 'rubricPrompt']);
}

/** The tests with their places: inline, or in CSV, JSON, JSONL and YAML files. */
function testsOf(given: unknown, files: Files, notes: Notes): [place: string, test: Members][] {
  return listOf(given).flatMap((one, index) => {
    const place = Array.isArray(given) ? `tests[${index}]` : 'tests';
    if (typeof one !== 'string') return [[place, membersOf(one)]];
    const [content] = notes.attempt(place, () => files.load(one));
    const file = one.replace(/^file:\/\//, '');
    return listOf(content).map((test, position): [string, Members] => [`${file}[${position}]`, /\.csv$/i.test(file) ? testOfCells(membersOf(test)) : membersOf(test)]);
  });
}

/** A line of CSV: `__expected…` columns are assertions, `__description` is the description, columns without `__` are variables. */
function testOfCells(cells: Members): Members {
  const of = (isWanted: (column: string) => boolean) => Object.entries(cells).filter(([column]) => isWanted(column));
  const isExpected = (column: string) => column.startsWith('__expected');
  return {
    ...Object.fromEntries(of((column) => /^__(?!proto__)/.test(column) && !isExpected(column)).filter(([, cell]) => cell !== '').map(([column, cell]) => [column.replace(/^__description$/, 'description'), cell])),
    vars: Object.fromEntries(of((column) => !/^__(?!proto__)/.test(column))),
    assert: of(isExpected).filter(([, cell]) => cell !== '').map(([, cell]) => assertionOfCell(textOf(cell).trim())),
  };
}

function assertionOfCell(text: string): object {
  const [, not = '', written = '', threshold, value] = CELL.exec(text) ?? [];
  const type = Object.hasOwn(ALIASES, written) ? ALIASES[written] ?? '' : written;
  if (!isAssertionType(type)) return text.startsWith('file://') ? { type: 'javascript' } : { type: 'equals', value: text };
  return { type: `${not}${type}`, ...(value !== undefined && { value: value.trim() }), threshold: Number(threshold ?? CELL_THRESHOLD) };
}

/** The rows of a test: one for each combination of the values of its lists. */
function draftsOf(place: string, test: Members, common: unknown, files: Files, notes: Notes): (DraftRow & { assert: unknown })[] {
  listParts(place, test, notes);
  const { description, assert } = test;
  const combinations = notes.attempt(`${place}.vars`, () => {
    if ([common, test['vars']].some((vars) => vars !== undefined && (typeof vars !== 'object' || Array.isArray(vars)))) fail('are not written here; only variables within the test are read');
    const lists = Object.entries({ ...membersOf(common), ...membersOf(test['vars']) }).map(([name, value]) => listOf(value ?? '').map((each) => [name, valueOf(name, each, files)] as const));
    refuseTooMany(lists.reduce((count, list) => count * list.length, 1));
    return lists.reduce<(readonly [string, string])[][]>((rows, list) => rows.flatMap((row) => list.map((entry) => [...row, entry])), [[]]).map(checkedVariables);
  });
  return combinations.flat().map((variables) => ({ place, variables, checks: [], assert, ...(typeof description === 'string' && /\S/.test(description) && { id: description }) }));
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
      const content = isReference(text) ? files.load(text) : /^\s*\[\s*\{/.test(text) ? parsedJson(text) ?? fail('is a chat that is no JSON before its variables are filled in') : [text];
      const texts = typeof content === 'string' ? content.split(/^---[ \t]*\r?$/m).map((each) => each.trim()).filter((each) => each !== '') : content;
      return listOf(texts).every((each) => typeof each === 'string') ? listOf(texts).map(messagesOf) : [messagesOf(texts)];
    });
    return found.flat().map((messages) => ({ place, label, ...messages }));
  });
}
