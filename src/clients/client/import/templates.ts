import type { Turn } from '../types';
import { fail, listOf, membersOf, type Members, type Notes } from './notes';

const TEMPLATE = /\{\{-?\s*([^{}]*?)\s*-?\}\}/g;
const SINGLE = /\{(\w+)\}/g;
/** The limit of the API; the client imports nothing of the service. */
const MAX_TURNS = 100;

/** A prompt with the messages before it. */
export interface Messages {
  prompt: string;
  system?: string;
  history?: Turn[];
}

/** A prompt with its options, and all texts in which the service fills in variables. */
export interface ConvertedMessages {
  prompt: string;
  options: Members;
  filled: string;
}

/** True if a text has a variable or logic of Nunjucks. */
export function hasTemplate(text: string): boolean {
  return /\{\{|\{%|\{#/.test(text);
}

/**
 * Turns `{{x}}` into `{x}` in all texts of a value.
 * @param names the variables of the rows; the service would replace `{x}` in single braces by mistake
 * @throws Unconverted
 */
export function convertTemplates<T>(value: T, names: ReadonlySet<string>, prefix = ''): T {
  const convert = (each: unknown): unknown => {
    if (typeof each === 'string') return convertText(each, names, prefix);
    if (Array.isArray(each)) return each.map(convert);
    return typeof each === 'object' && each !== null
      ? Object.fromEntries(Object.entries(each).map(([name, member]) => [name, convert(member)]))
      : each;
  };
  return convert(value) as T;
}

function convertText(text: string, names: ReadonlySet<string>, prefix: string): string {
  const rest = text.replace(TEMPLATE, ' ');
  if (hasTemplate(rest)) fail('uses logic of Nunjucks, or has {{ that belongs to no variable');
  for (const name of variablesIn(rest, names)) fail(`has {${name}} in single braces, which the variable would replace`);
  return text.replace(TEMPLATE, (_, expression: string) => {
    const name = expression.startsWith(prefix) ? expression.slice(prefix.length) : '';
    return names.has(name) ? `{${name}}` : fail(`uses {{${expression}}}, which is no variable of a row`);
  });
}

/** The variables that a converted text uses. */
export function variablesIn(text: string, names: ReadonlySet<string>): string[] {
  return [...text.matchAll(SINGLE)].flatMap(([, name = '']) => (names.has(name) ? [name] : []));
}

/** The messages of a text, or of a conversation that ends with the user. @throws Unconverted */
export function messagesOf(given: unknown): Messages {
  if (typeof given === 'string') return { prompt: given };
  const messages = listOf(given).map((message) => ({
    role: String(membersOf(message)['role']),
    content: messageText(membersOf(message)),
  }));
  if (!/^(?:(?:system|developer) )?(?:(?:user|assistant) )*user$/.test(messages.map(({ role }) => role).join(' ')))
    fail(
      `is a conversation of ${messages.length} messages; turns of user and assistant that end with the user are converted, after at most one system message`,
    );
  const turns = messages.filter(({ role }) => role === 'user' || role === 'assistant') as Turn[];
  const system = messages.length > turns.length ? messages[0]?.content : undefined;
  const prompt = turns.pop()?.content ?? '';
  refuseUnusable(turns, system);
  return { prompt, ...(system !== undefined && { system }), ...(turns.length > 0 && { history: turns }) };
}

/** @throws Unconverted for messages before the prompt that the service would refuse, or send unfilled */
function refuseUnusable(turns: readonly Turn[], system = ''): void {
  if (hasTemplate(system))
    fail('has a variable in its system message; variables are filled into the prompt and earlier turns only');
  if (turns.length > MAX_TURNS) fail(`has ${turns.length} earlier turns, which are more than ${MAX_TURNS}`);
  if (turns.some(({ content }) => content.trim() === '')) fail('has an earlier turn without text');
}

/** The text of a message. @throws Unconverted */
export function messageText({ content, tool_calls: calls, function_call: call }: Members): string {
  if (listOf(calls ?? call).length > 0) fail('has a message that calls a tool');
  return listOf(content)
    .map((part) => (typeof part === 'string' ? part : partText(membersOf(part))))
    .join('\n');
}

function partText({ type, text }: Record<string, unknown>): string {
  return ['text', 'input_text', 'output_text'].includes(String(type)) && typeof text === 'string'
    ? text
    : fail('has a message with content that is no text');
}

/** Messages as the service takes them. @throws Unconverted */
export function convertMessages(
  { prompt, system, history }: Messages,
  names: ReadonlySet<string>,
  { place, notes, prefix = '' }: { place: string; notes: Notes; prefix?: string },
): ConvertedMessages {
  const turns = history?.map(({ role, content }) => ({ role, content: convertPrompt(content, names, prefix) }));
  const [converted, earlier] = [convertPrompt(prompt, names, prefix), (turns ?? []).map(({ content }) => content)];
  if (turns !== undefined) notes.remarks.push({ place, problem: 'has earlier turns, which are options.history now' });
  return {
    prompt: converted,
    options: { ...(system !== undefined && { system }), ...(turns !== undefined && { history: turns }) },
    filled: [...earlier, converted].join('\n'),
  };
}

function convertPrompt(prompt: string, names: ReadonlySet<string>, prefix: string): string {
  const converted = convertTemplates(prompt, names, prefix);
  if (converted.trim() === '') fail('is empty');
  if (variablesIn(converted, names).includes('expected'))
    fail('uses {{expected}}, which here is for checks only; rename the variable');
  return converted;
}
