import type { Check, ExperimentCheck, ImportedExperiment } from '../types';
import { fail, listOf, membersOf, textOf, type Members, type Notes } from './notes';
import { convertConfig, providerModel } from './providers';
import {
  checkedVariables,
  convertedExperiment,
  finishRows,
  refuseTooMany,
  type DraftRow,
  type ImportContext,
} from './rows';
import { rubricOf, type Rubric, type RubricContext } from './rubrics';
import { convertMessages, convertTemplates, messagesOf, messageText } from './templates';

type Converted = Pick<ImportedExperiment, 'rows' | 'experiments'>;

const ITEM = 'item.';
const MAX_VALUES = 20;
const OUTPUT = /\{\{\s*sample\.output_text\s*\}\}/g;
const OPERATIONS = new Map<unknown, (text: string) => object>([
  ['eq', (value) => ({ type: 'equals', value, trim: false })],
  ['ne', (value) => ({ type: 'equals', value, trim: false, not: true })],
  ['like', (value) => ({ type: 'contains', values: [value] })],
  ['ilike', (value) => ({ type: 'contains', values: [value], ignore_case: true })],
]);
const HARMLESS = ['id', 'created_at', 'metadata', 'share_with_openai', 'data_source_config'];

/** Converts the JSON of an eval of OpenAI with its first run. */
export function convertOpenAiEval(
  { eval: inner, ...outer }: Members,
  { notes, name, chosen, judge }: ImportContext,
): Converted {
  const config: Members = { ...membersOf(inner), ...outer };
  const { name: title = name, testing_criteria: criteria, ...parts } = config;
  const [at, data] = dataOf(parts, notes);
  const drafts = itemsOf(membersOf(data['source']), `${at}.source`, notes);
  // Without rows, these are the names of the rows in a file of OpenAI.
  const names = new Set(
    drafts.length > 0
      ? drafts.flatMap(({ variables }) => Object.keys(variables))
      : Array.from(JSON.stringify(config).matchAll(/\{\{\s*item\.(\w+)\s*\}\}/g), ([, each = '']) => each),
  );
  const checks = listOf(criteria).flatMap((one, index) => {
    const place = `testing_criteria[${index}]`;
    const grader = membersOf(one);
    const convert = ['label_model', 'score_model'].includes(String(grader['type'])) ? gradedOf : criterionOf;
    return notes.attempt(place, () => convert(grader, names, { place, notes, chosen: judge }));
  });
  const asked = notes.attempt(`${at}.input_messages`, () => {
    const { template } = membersOf(data['input_messages']);
    const messages = messagesOf(template ?? fail('has no template, so the eval has no prompt'));
    return convertMessages(messages, names, { place: `${at}.input_messages`, notes, prefix: ITEM });
  });
  const models = chosen ?? notes.attempt(`${at}.model`, () => providerModel(data['model'], `${at}.model`, notes));
  const experiments = asked.map(({ prompt, options }) => {
    const sampling = convertConfig(membersOf(data['sampling_params']), `${at}.sampling_params`, notes);
    return convertedExperiment(textOf(title).slice(0, 100), prompt, [...models], { ...sampling, ...options }, checks);
  });
  const texts = [
    ...asked.map(({ filled }) => [at, filled] as const),
    ['testing_criteria', JSON.stringify(checks)] as const,
  ];
  return { experiments, rows: finishRows(drafts, texts, true, names, notes) };
}

/** The data source of the eval itself or of its first run, and its place. */
function dataOf(
  { data_source: own, run, runs = listOf(run), ...others }: Members,
  notes: Notes,
): [place: string, data: Members] {
  notes.listOthers('', others, ['object'], HARMLESS);
  const [first, ...further] = own === undefined ? listOf(runs) : [{ data_source: own }];
  if (further.length > 0)
    notes.unconverted.push({
      place: 'runs[1]',
      problem: `and all after it are not converted (${further.length}); an import takes one run`,
    });
  const data = membersOf(membersOf(first)['data_source']);
  const place = own !== undefined ? 'data_source' : run === undefined ? 'runs[0].data_source' : 'run.data_source';
  notes.listOthers(place, data, ['type', 'source', 'input_messages', 'model', 'sampling_params']);
  return [place, data];
}

/** Converts the lines of a dataset of OpenAI, or of the openai/evals registry, whose messages make an experiment. */
export function convertOpenAiLines(lines: readonly unknown[], { notes, name, chosen = [] }: ImportContext): Converted {
  refuseTooMany(lines.length);
  const isRegistry = !('item' in membersOf(lines[0]));
  const drafts = lines.flatMap((line, index) => {
    const [place, members] = [`line ${index + 1}`, membersOf(line)];
    notes.listOthers(place, members, isRegistry ? ['input', 'ideal'] : ['item'], ['metadata', 'id', 'sample']);
    return notes.attempt(place, () =>
      isRegistry ? registryRow(members, place) : { ...itemRow(members, place), system: undefined },
    );
  });
  const [system, ...others] = new Set(drafts.map((draft) => draft.system));
  if (others.length > 0)
    notes.unconverted.push({
      place: 'input',
      problem: `has ${others.length + 1} different system messages; the rows of an experiment have one`,
    });
  const talks = drafts.filter((draft) => draft.history !== undefined).length;
  if (talks > 0)
    notes.remarks.push({
      place: 'input',
      problem: `has earlier turns in ${talks} of ${drafts.length} rows, which are their history now`,
    });
  if (isRegistry)
    notes.remarks.push({
      place: 'ideal',
      problem: 'passes if the answer contains it; a registry file does not say how answers are graded',
    });
  const experiment = {
    name,
    prompt: '{input}',
    models: [...chosen],
    ...(system !== undefined && others.length === 0 && { options: { system } }),
  };
  return {
    rows: finishRows(drafts, [], true, new Set(['expected']), notes),
    experiments: isRegistry ? [experiment] : [],
  };
}

/** @throws Unconverted */
function registryRow({ input, ideal }: Members, place: string): DraftRow & { system: string | undefined } {
  const { prompt, ...before } = messagesOf(input);
  const values = convertTemplates(listOf(ideal).map(textOf), new Set(['input', 'expected']));
  if (values.length === 0 || values.length > MAX_VALUES)
    fail(`has ${values.length} ideal answers; a check has 1 to ${MAX_VALUES}`);
  const isOne = !Array.isArray(ideal);
  const check = { type: 'contains', values: isOne ? ['{expected}'] : values, ...(!isOne && { mode: 'any' }) } as Check;
  return {
    place,
    system: undefined,
    ...before,
    checks: [check],
    variables: checkedVariables([
      ['input', prompt],
      ...(isOne ? values.map((value) => ['expected', value] as const) : []),
    ]),
  };
}

/** @throws Unconverted */
function itemRow({ item }: Members, place: string): DraftRow {
  const entries = Object.entries(membersOf(item)).map(
    ([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : textOf(value)] as const,
  );
  return entries.length === 0 ? fail('has no item') : { place, variables: checkedVariables(entries), checks: [] };
}

function itemsOf({ type, content }: Members, place: string, notes: Notes): DraftRow[] {
  if (type === 'file_id')
    notes.remarks.push({ place, problem: 'names a file of OpenAI; download it and import it into the same folder' });
  else if (type !== 'file_content')
    notes.unconverted.push({ place, problem: 'has no rows; only file_content and file_id are converted' });
  return listOf(content).flatMap((each, index) =>
    notes.attempt(`${place}.content[${index}]`, () => itemRow(membersOf(each), `${place}.content[${index}]`)),
  );
}

/** The check of a grader that needs no model. @throws Unconverted */
function criterionOf(grader: Members, names: ReadonlySet<string>, context: RubricContext): ExperimentCheck {
  const { place, notes } = context;
  const { type, input, reference, operation, evaluation_metric: metric, pass_threshold: min } = grader;
  if (type !== 'string_check' && type !== 'text_similarity')
    fail(`(${String(type)}) ${type === 'python' ? 'runs code; no code is run here' : 'has no check'}`);
  notes.listOthers(place, grader, [
    'type',
    'name',
    'id',
    'input',
    'reference',
    'operation',
    'evaluation_metric',
    'pass_threshold',
  ]);
  if (!/^\{\{\s*sample\.output_text\s*\}\}$/.test(textOf(input)))
    fail('looks at something else than {{sample.output_text}}');
  const value = convertTemplates(textOf(reference), names, ITEM);
  if (type === 'string_check')
    return (OPERATIONS.get(operation) ?? fail(`has the operation ${String(operation)}, which has no check`))(
      value,
    ) as Check;
  if (metric !== 'fuzzy_match' || typeof min !== 'number')
    fail(`has the metric ${String(metric)}; only fuzzy_match with a pass_threshold is converted`);
  notes.remarks.push({ place, problem: 'is a Levenshtein similarity now, which differs a little from fuzzy_match' });
  return { type: 'similarity', value, min };
}

/** The rubric of a grader that is a model; its criterion is the text of the messages. @throws Unconverted */
function gradedOf(grader: Members, names: ReadonlySet<string>, context: RubricContext): Rubric {
  const type = textOf(grader['type']);
  const { input, model: judge, labels, passing_labels: passing, range = [0, 1], pass_threshold: threshold } = grader;
  const known = ['type', 'name', 'id', 'input', 'labels', 'passing_labels', 'model', 'range', 'pass_threshold'];
  context.notes.listOthers(context.place, grader, known, [], ['sampling_params']);
  const isLabel = type === 'label_model';
  const [all, good] = [labels, passing].map((list) => listOf(list).map(textOf).join(', '));
  const texts = listOf(input).map((message) => messageText(membersOf(message)).replace(OUTPUT, 'the answer'));
  if (isLabel) texts.push(`Of the labels ${all}, the answer passes with: ${good || fail('has no passing_labels')}.`);
  const criterion = convertTemplates(texts.join('\n\n'), names, ITEM);
  return rubricOf(type, criterion, isLabel ? { judge } : { judge, range, threshold }, context);
}
