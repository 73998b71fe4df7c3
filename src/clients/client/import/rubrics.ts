import type { ExperimentCheck, ImportedExperiment } from '../types';
import { fail, listOf, membersOf, textOf, type Members, type Notes } from './notes';
import { providerModel } from './providers';
import { hasVariables, type DraftRow } from './rows';

/** A check that a judge decides. */
export type Rubric = Extract<ExperimentCheck, { type: 'rubric' }>;
/** A row with the rubrics of its test. */
export type RubricDraft = DraftRow & { rubrics: Rubric[] };
/** The place of a rubric, and the judge that is chosen in place of the one of the file. */
export interface RubricContext {
  place: string;
  notes: Notes;
  chosen: string | undefined;
}

/** The assertions of promptfoo that become a rubric. */
export const JUDGED: readonly string[] = ['llm-rubric', 'model-graded-closedqa', 'factuality'];
const MAX_CHARACTERS = 4000;
const MAX_VARIABLES = 20;
const ANY = 'Any answer passes.';

/** A rubric, which gives marks if the file has a threshold or range. @throws Unconverted without a judge */
export function rubricOf(type: string, criterion: string, file: Members, context: RubricContext): Rubric {
  const { threshold, range } = file;
  const judge =
    context.chosen ??
    judgeOfFile(file['judge'], context) ??
    fail(`(${type}) needs a model as a judge; choose one with --judge`);
  if (criterion.trim() === '' || criterion.length > MAX_CHARACTERS)
    fail(`has a criterion of ${criterion.length} characters; a rubric takes 1 to ${MAX_CHARACTERS}`);
  if ((threshold ?? range) === undefined) return { type: 'rubric', criterion, judge };
  const [low = 0, high = 1] = listOf(range).map(Number);
  const mark = 1 + Math.round((4 * (Number(threshold) - low)) / (high - low));
  const nearest =
    threshold === undefined ? '' : `; its threshold of ${textOf(threshold)} is nearest to ${mark}, and decides nothing`;
  context.notes.remarks.push({ place: context.place, problem: `is a mark from 1 to 5 now${nearest}` });
  return { type: 'rubric', criterion, judge, scale: 5 };
}

function judgeOfFile(given: unknown, { place, notes }: RubricContext): string | undefined {
  const provider = membersOf(given)['text'] ?? given;
  const id = membersOf(provider)['id'] ?? provider;
  try {
    return providerModel(id, place, notes);
  } catch {
    return undefined;
  }
}

/**
 * The rubrics of tests as checks of the experiments: those of all rows, and others whose criterion is a variable of
 * the rows.
 * @param written texts in which such a variable would be filled in
 */
export function liftRubrics(
  drafts: readonly RubricDraft[],
  names: ReadonlySet<string>,
  written: string,
  notes: Notes,
): Rubric[] {
  const keys = drafts.map(({ rubrics }) => new Set(rubrics.map((rubric) => JSON.stringify(rubric))));
  const shared = [...(keys[0] ?? [])].filter((key) =>
    drafts.every((draft, index) => keys[index]?.has(key) === true && hasVariables(draft, key, names)),
  );
  const slots = new Map<string, Map<DraftRow, string>>();
  for (const [index, draft] of drafts.entries()) {
    const kinds: string[] = [];
    for (const key of [...(keys[index] ?? [])].filter((each) => !shared.includes(each))) {
      const { criterion, ...rest } = JSON.parse(key) as Rubric;
      const kind = JSON.stringify(rest);
      kinds.push(kind);
      const slot = `${kinds.filter((each) => each === kind).length} ${kind}`;
      const text = criterion.replace(/\{(\w+)\}/g, (whole, name: string) =>
        names.has(name) ? (draft.variables[name] ?? '') : whole,
      );
      slots.set(slot, (slots.get(slot) ?? new Map<DraftRow, string>()).set(draft, text));
    }
  }
  let number = 0;
  const varied = [...slots].flatMap(([slot, texts]) =>
    notes.attempt('tests', () => {
      let name = '';
      do name = (number += 1) === 1 ? 'rubric' : `rubric_${number}`;
      while (names.has(name) || written.includes(`{${name}}`));
      fillRows(name, texts, drafts, notes);
      return { ...(JSON.parse(slot.slice(slot.indexOf(' '))) as Rubric), criterion: `{${name}}` };
    }),
  );
  return [...shared.map((key) => JSON.parse(key) as Rubric), ...varied];
}

/** @throws Unconverted for rows that have no room for it */
function fillRows(name: string, texts: ReadonlyMap<DraftRow, string>, drafts: readonly DraftRow[], notes: Notes): void {
  if (drafts.some(({ variables }) => Object.keys(variables).length >= MAX_VARIABLES))
    fail(`have different rubrics, and no room for one beside ${MAX_VARIABLES} variables; they are left out`);
  for (const draft of drafts) draft.variables = { ...draft.variables, [name]: texts.get(draft) ?? ANY };
  if (texts.size < drafts.length)
    notes.remarks.push({
      place: 'tests',
      problem: `have no {${name}} in ${drafts.length - texts.size} of ${drafts.length} rows, where it is "${ANY}"`,
    });
}

/** The note of an assertion that compares answers, with the command that does it. */
export function listSelectBest(criterion: string, { notes, chosen = 'MODEL' }: RubricContext): [] {
  const quoted = `'${criterion.replaceAll("'", String.raw`'\''`)}'`;
  notes.remarks.push({
    place: 'select-best',
    problem: `compares answers, so it comes after the experiment: mcs judge exp_… --pairwise --model ${chosen} --max-cost USD --criterion ${quoted}`,
  });
  return [];
}

/** Lists how the verdicts of the rubrics may differ, and judges that are asked themselves. */
export function listJudges(experiments: ImportedExperiment['experiments'], notes: Notes): void {
  const rubrics = experiments.flatMap(({ checks = [], models }) =>
    checks.flatMap((check) => (check.type === 'rubric' ? [{ judge: check.judge, models }] : [])),
  );
  if (rubrics.length > 0)
    notes.remarks.push({
      place: 'rubrics',
      problem: 'are judged with the prompt of this service, so that verdicts may differ',
    });
  for (const { judge } of rubrics.filter(({ judge: id, models }) =>
    models.some((model) => model.split('@')[0] === id.split('@')[0]),
  ))
    notes.unconverted.push({
      place: 'rubrics',
      problem: `have the judge ${judge}, which is among the models, so that the service refuses it; choose another with --judge`,
    });
}
