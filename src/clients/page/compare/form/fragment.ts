import { MAX_TURNS } from '../../../../common/turn';
import { groupDigits, MAX_INPUT_CHARACTERS, MAX_MODELS, MAX_PROMPT_CHARACTERS } from '../limits';
import { EFFORTS } from '../models/model-list';
import type { FormContent } from './form-content';
import { isTurn } from './turns';

/** The form content in an address. Absent and unusable members are left out. */
interface FormFill extends Partial<Record<TextName, string>> {
  models?: string[];
  history?: FormContent['history'];
  /** Sentences about what could not be used. */
  problems: string[];
}

/**
 * The texts of the form that an address carries, with their limits. A cost limit is for the reader of the address to
 * set.
 */
const TEXTS = {
  prompt: MAX_PROMPT_CHARACTERS,
  input: MAX_INPUT_CHARACTERS,
  system: MAX_PROMPT_CHARACTERS,
  format: MAX_PROMPT_CHARACTERS,
  effort: 20,
  room: 20,
  temperature: 20,
  maxTokens: 20,
  exact: 20,
};
type TextName = keyof typeof TEXTS;
const NAMES = Object.keys(TEXTS) as TextName[];
/** Fields that take one of a few values. */
const CHOICES: Partial<Record<TextName, readonly string[]>> = { effort: EFFORTS, exact: ['required'] };

/** Room for the longest prompt and input, with every character written as several percent signs. */
const MAX_FRAGMENT_CHARACTERS = 2_000_000;
const MAX_NAMES_SAID = 3;
const MAX_NAME_CHARACTERS = 60;

/**
 * Reads `#models=a,b&user=…&assistant=…&prompt=…&input=…&system=…`; undefined when the fragment is about something else. It only ever
 * fills the form.
 */
export function readFragment(fragment: string, knownModels: readonly string[]): FormFill | undefined {
  const text = fragment.replace(/^#/, '');
  if (!/(?:^|&)(?:models|prompt|input|user|assistant)=/.test(text.slice(0, MAX_FRAGMENT_CHARACTERS))) return undefined;
  if (text.length > MAX_FRAGMENT_CHARACTERS)
    return { problems: ['The link contains more data than the form accepts. It was ignored.'] };
  const parameters = new URLSearchParams(text);
  const fill: FormFill = { problems: [] };
  for (const name of NAMES) takeText(fill, parameters, name, TEXTS[name]);
  const turns = [...parameters].map(([role, content]) => ({ role, content })).filter(isTurn);
  if (turns.length > MAX_TURNS)
    fill.problems.push(`The link has ${turns.length} earlier turns; the limit is ${MAX_TURNS}. They were ignored.`);
  else if (turns.length > 0) fill.history = turns;
  takeModels(
    fill,
    parameters.getAll('models').flatMap((list) => list.split(',')),
    knownModels,
  );
  return fill;
}

/** The fragment that fills a form with this content. */
export function writeFragment({
  models,
  history = [],
  ...texts
}: Pick<FormContent, 'models'> & Partial<Pick<FormContent, TextName | 'history'>>): string {
  const turns = history.map(({ role, content }) => [role, content]);
  const given = [['models', models.join(',')], ...turns, ...NAMES.map((name) => [name, texts[name] ?? ''])].filter(
    ([, value]) => value !== '',
  );
  return given.length === 0 ? '' : `#${new URLSearchParams(given).toString()}`;
}

function takeText(fill: FormFill, parameters: URLSearchParams, name: TextName, maxCharacters: number): void {
  const given = parameters.get(name);
  if (given === null || CHOICES[name]?.includes(given) === false) return;
  // No text that the service takes contains it.
  const text = given.replaceAll('\0', '');
  if (text.length > maxCharacters) {
    fill.problems.push(
      `The ${name} in the link has ${groupDigits(text.length)} characters; the limit is ${groupDigits(maxCharacters)}. It was ignored.`,
    );
    return;
  }
  if (text.length < given.length)
    fill.problems.push(`The ${name} in the link contained null characters. They were removed.`);
  fill[name] = text;
}

function takeModels(fill: FormFill, given: readonly string[], knownModels: readonly string[]): void {
  const ids = [...new Set(given.map((id) => id.trim()).filter((id) => id !== ''))];
  const known = ids.filter((id) => knownModels.includes(id));
  const unknown = ids.filter((id) => !knownModels.includes(id));
  const extra = known.slice(MAX_MODELS);
  if (unknown.length > 0)
    fill.problems.push(
      `The link names ${unknown.length === 1 ? 'a model that is' : 'models that are'} not on the list: ${listNames(unknown)}.`,
    );
  if (extra.length > 0)
    fill.problems.push(`At most ${MAX_MODELS} models are compared at once. Not chosen: ${listNames(extra)}.`);
  if (known.length > 0) fill.models = known.slice(0, MAX_MODELS);
}

function listNames(names: readonly string[]): string {
  const said = names
    .slice(0, MAX_NAMES_SAID)
    .map((name) => (name.length > MAX_NAME_CHARACTERS ? `${name.slice(0, MAX_NAME_CHARACTERS)}…` : name));
  const rest = names.length - said.length;
  return rest === 0 ? said.join(', ') : `${said.join(', ')} and ${groupDigits(rest)} more`;
}
