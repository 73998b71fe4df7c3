import { isReference, type Files } from './files';
import { fail, listOf, membersOf, textOf, type Members, type Notes } from './notes';
import { convertMessages, messagesOf, type ConvertedMessages, type Messages } from './templates';

type FoundPrompt = Messages & { place: string; label?: string };
/** A prompt as the service takes it, with the options of its experiment. */
export type AskedPrompt = ConvertedMessages & Pick<FoundPrompt, 'place' | 'label'>;

/** The prompts before their templates are converted. */
export function promptsOf(given: unknown, files: Files, notes: Notes): FoundPrompt[] {
  return listOf(given).flatMap((one, index) => {
    const place = `prompts[${index}]`;
    const { label, raw, id, ...others } = typeof one === 'string' ? ({ raw: one } as Members) : membersOf(one);
    notes.listOthers(place, others, []);
    const found = notes.attempt(place, () => {
      const text = textOf(raw ?? id);
      if (/^(?!file:)[a-z]+:\/\/\S+$/.test(text)) fail('is in a store of prompts, which was not read');
      if (isReference(text)) return files.expand(text).flatMap((each) => promptsOfFile(files.load(each), files));
      return [messagesOf(files.chatOf(text))];
    });
    return found.flat().map((messages) => ({ place, ...(typeof label === 'string' && { label }), ...messages }));
  });
}

/** A file has prompts between lines of `---`, a list of prompts, or one chat. @throws Unconverted */
function promptsOfFile(content: unknown, files: Files): Messages[] {
  const texts =
    typeof content === 'string'
      ? content
          .split(/^---[ \t]*\r?$/m)
          .map((each) => each.trim())
          .filter((each) => each !== '')
      : listOf(content);
  return texts.every((each) => typeof each === 'string')
    ? texts.map((each) => messagesOf(files.chatOf(each)))
    : [messagesOf(content)];
}

/** A prompt with the options of all experiments and its own. @throws Unconverted */
export function askedOf(
  { place, label, ...found }: FoundPrompt,
  shared: Members,
  names: ReadonlySet<string>,
  notes: Notes,
): AskedPrompt {
  if (found.system !== undefined && 'system' in shared)
    fail('has a system message, and the providers have instructions');
  const { options, ...asked } = convertMessages(found, names, { place, notes });
  return { place, ...(label !== undefined && { label }), ...asked, options: { ...shared, ...options } };
}
