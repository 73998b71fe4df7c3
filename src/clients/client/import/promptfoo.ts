import type { ExperimentCheck, ImportedExperiment } from '../types';
import { convertAssertions } from './assertions';
import { listOf, membersOf, textOf, type Members, type Notes } from './notes';
import { askedOf, promptsOf, type AskedPrompt } from './promptfoo-prompts';
import {
  draftsOf,
  listParts,
  modifiersOf,
  testsOf,
  type TestDraft,
  type Modifiers,
  type TestContext,
} from './promptfoo-tests';
import { convertProviders, providersOf } from './providers';
import {
  convertedExperiment,
  finishRows,
  hasVariables,
  refuseTooMany,
  type DraftRow,
  type ImportContext,
} from './rows';
import { liftRubrics } from './rubrics';

type Converted = Pick<ImportedExperiment, 'rows' | 'experiments'>;

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

/** Converts a configuration of promptfoo: a dataset, and one experiment for each prompt. */
export function convertPromptfoo(config: Members, { files, notes, name, chosen, judge }: ImportContext): Converted {
  const { defaultTest: given, evaluateOptions, description: title = name, tests } = config;
  notes.listOthers('', config, KNOWN, HARMLESS);
  if (config['redteam'] !== undefined) listRedTeam(notes);
  const common = membersOf(
    typeof given === 'string' ? notes.attempt('defaultTest', () => files.load(given))[0] : given,
  );
  const place = config['providers'] === undefined ? 'targets' : 'providers';
  const providers = providersOf(config[place]);
  const context = {
    files,
    notes,
    common,
    transforms: transformsOf(providers),
    isReplaced: chosen !== undefined,
    judge,
  };
  listParts('defaultTest', common, context);
  const drafts = testsOf(tests, files, notes).flatMap(([at, test]) => draftsOf(at, test, context));
  refuseTooMany(drafts.length);
  const found = promptsOf(config['prompts'], files, notes);
  const names = namesOf(drafts, notes.isIncomplete ? [found, common['assert'], tests] : []);
  const general = checksOf(drafts, context, names);
  const written = JSON.stringify([found, common, tests]);
  const checks = [...general, ...liftRubrics(drafts, names, written, notes)];
  const { models, options } = convertProviders(providers, place, notes, chosen);
  const { repeat, maxConcurrency, ...otherRunOptions } = membersOf(evaluateOptions);
  notes.listOthers('evaluateOptions', otherRunOptions, [], HARMLESS_RUN_OPTIONS);
  const shared = { ...options, ...(Number(repeat) > 1 && { samples: repeat }) };
  const prompts = found.flatMap((each) => notes.attempt(each.place, () => askedOf(each, shared, names, notes)));
  const experiments = prompts.map(({ label, prompt, options: all }, index) => {
    const more = prompts.length === 1 ? '' : `: ${label ?? `prompt ${index + 1}`}`.slice(0, 60);
    return {
      ...convertedExperiment(textOf(title).slice(0, 100 - more.length) + more, prompt, models, all, checks),
      ...(typeof maxConcurrency === 'number' && { parallel: Math.min(MAX_PARALLEL, maxConcurrency) }),
    };
  });
  return withRows(experiments, prompts, drafts, checks, { names, notes });
}

function listRedTeam(notes: Notes): void {
  notes.isIncomplete = true;
  notes.unconverted.push({
    place: 'redteam',
    problem: 'makes this a red team: a model writes its attacks, and a model judges them; only its own tests are rows',
  });
}

/** Several are a list, which has no counterpart. */
function transformsOf(providers: readonly Members[]): unknown[] {
  const transforms = [...new Set(providers.map(({ transform }) => transform))];
  return transforms.length > 1 ? [transforms] : listOf(transforms[0]);
}

/** The variables of the rows; where rows are lost, also those `written` in the file, which they may have had. */
function namesOf(drafts: readonly DraftRow[], written: readonly unknown[]): Set<string> {
  return new Set([
    ...drafts.flatMap(({ variables }) => Object.keys(variables)),
    ...Array.from(JSON.stringify(written).matchAll(/\{\{\s*(\w+)\s*\}\}/g), ([, each = '']) => each),
  ]);
}

/** One data set for all experiments, or one for each where the prompts have different variables. */
function withRows(
  experiments: Converted['experiments'],
  prompts: readonly AskedPrompt[],
  drafts: readonly TestDraft[],
  checks: readonly ExperimentCheck[],
  { names, notes }: { names: ReadonlySet<string>; notes: Notes },
): Converted {
  const usesInput = prompts.some(({ filled }) => filled.includes('{input}'));
  const ofChecks = checks.map((check) => ['defaultTest.assert', JSON.stringify(check)] as const);
  const finish = (rows: readonly DraftRow[], of: readonly AskedPrompt[]) =>
    finishRows(
      rows,
      [...of.map(({ place, filled }) => [place, filled] as const), ...ofChecks],
      usesInput,
      names,
      notes,
    );
  const rowsOf = prompts.map(({ filled }) => drafts.filter((row) => hasVariables(row, filled, names)));
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

/**
 * The checks of the experiments. The rows get theirs, and those of all tests too where a test changes what these mean.
 */
function checksOf(drafts: readonly TestDraft[], context: TestContext, names: ReadonlySet<string>): ExperimentCheck[] {
  const { files, notes, common, judge } = context;
  const of = (assert: unknown, place: string, modifiers: Modifiers) =>
    convertAssertions(assert, place, { files, notes, names, judge, ...modifiers });
  const general = modifiersOf({}, context);
  const isShared = drafts.every(({ modifiers }) => JSON.stringify(modifiers) === JSON.stringify(general));
  for (const draft of drafts) {
    const all = [
      ...(isShared ? [] : of(common['assert'], 'defaultTest.assert', draft.modifiers)),
      ...of(draft.assert, `${draft.place}.assert`, draft.modifiers),
    ];
    draft.checks = all.filter((check) => check.type !== 'rubric');
    draft.rubrics = all.filter((check) => check.type === 'rubric');
  }
  return isShared ? of(common['assert'], 'defaultTest.assert', general) : [];
}
