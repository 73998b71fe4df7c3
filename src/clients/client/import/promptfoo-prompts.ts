import { isReference, parsedJson, type Files } from './files';
import { fail, listOf, membersOf, textOf, type Members, type Notes } from './notes';
import { convertPrompt, messagesOf } from './templates';

type FoundPrompt = { place: string; label?: string; prompt: string; system?: string };
/** A prompt as the service takes it, with the options of its experiment. */
export type AskedPrompt = Omit<FoundPrompt, 'system'> & { options: Members };

/** The prompts before their templates are converted. */
export function promptsOf(given: unknown, files: Files, notes: Notes): FoundPrompt[] {
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

/** The prompt and the options of all experiments. @throws Unconverted */
export function askedOf({ system, ...found }: FoundPrompt, shared: Members, names: ReadonlySet<string>): AskedPrompt {
  if (system !== undefined && 'system' in shared) fail('has a system message, and the providers have instructions');
  return {
    ...found,
    prompt: convertPrompt(found.prompt, names),
    options: { ...shared, ...(system !== undefined && { system }) },
  };
}
