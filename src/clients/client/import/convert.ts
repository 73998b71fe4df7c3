import type { ImportedExperiment, ImportNote, ImportOptions } from '../types';
import { Files, refusal } from './files';
import { listOf, membersOf, Notes } from './notes';
import { convertOpenAiEval, convertOpenAiLines } from './openai';
import { convertPromptfoo } from './promptfoo';
import { listJudges } from './rubrics';

/** Converts the text of a file of another tool. @throws CompareError invalid_import */
export async function convertExport(
  text: string,
  { name = 'experiment', readFile, listFiles, models: chosen, judge }: ImportOptions,
): Promise<ImportedExperiment> {
  const [notes, files] = [new Notes(), new Files(await import('yaml'), readFile, listFiles)];
  const value = files.parse(text.replace(/^\ufeff/, ''), name);
  const context = { notes, files, name: name.replace(/^.*[/\\]|\.\w+$/g, ''), chosen, judge };
  const members = membersOf(value);
  const [first = {}] = listOf(value).map(membersOf);
  const convert = () => {
    if ('redteam' in members && !('prompts' in members))
      throw refusal(
        `${name} is a red team of promptfoo: a model writes its attacks, and a model judges them. It has no prompts to import.`,
      );
    if ('prompts' in members) return { source: 'promptfoo' as const, ...convertPromptfoo(members, context) };
    if ('testing_criteria' in { ...membersOf(members['eval']), ...members })
      return { source: 'OpenAI eval' as const, ...convertOpenAiEval(members, context) };
    if ('item' in first || ('input' in first && 'ideal' in first))
      return { source: 'OpenAI rows' as const, ...convertOpenAiLines(listOf(value), context) };
    throw refusal(
      `${name} is no configuration of promptfoo, no eval of OpenAI and no JSONL of OpenAI: it has no member prompts, testing_criteria, item, or input with ideal.`,
    );
  };
  const converted = convert();
  listJudges(converted.experiments, notes);
  if (converted.experiments.some(({ models }) => models.length === 0))
    notes.unconverted.push({ place: 'models', problem: 'has no model of the service; choose models that it has' });
  return { ...converted, unconverted: distinct(notes.unconverted), remarks: distinct(notes.remarks) };
}

/** A test with lists of values is converted once for each row, and its notes are repeated. */
function distinct(notes: readonly ImportNote[]): ImportNote[] {
  return [...new Map(notes.map((note) => [`${note.place} ${note.problem}`, note])).values()];
}
