import { fail, listOf, membersOf, type Members } from './notes';

const TEMPLATE = /\{\{-?\s*([^{}]*?)\s*-?\}\}/g;
const SINGLE = /\{(\w+)\}/g;

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

/**
 * The prompt and system message of a text, or of one user message after at most one system message. @throws Unconverted
 */
export function messagesOf(given: unknown): { prompt: string; system?: string } {
  if (typeof given === 'string') return { prompt: given };
  const messages = listOf(given).map(membersOf);
  if (!/^(?:(?:system|developer) )?user$/.test(messages.map(({ role }) => String(role)).join(' ')))
    fail(
      `is a conversation of ${messages.length} messages; one user message after at most one system message is converted`,
    );
  const [prompt = '', system] = messages.map(messageText).reverse();
  if (system !== undefined && hasTemplate(system))
    fail('has a variable in its system message; variables are filled into the prompt only');
  return { prompt, ...(system !== undefined && { system }) };
}

/** The text of a message. @throws Unconverted */
export function messageText({ content }: Members): string {
  return listOf(content)
    .map((part) => (typeof part === 'string' ? part : partText(membersOf(part))))
    .join('\n');
}

function partText({ type, text }: Record<string, unknown>): string {
  return ['text', 'input_text'].includes(String(type)) && typeof text === 'string'
    ? text
    : fail('has a message with content that is no text');
}

/** A prompt as the service takes it. @throws Unconverted */
export function convertPrompt(prompt: string, names: ReadonlySet<string>, prefix = ''): string {
  const converted = convertTemplates(prompt, names, prefix);
  if (converted.trim() === '') fail('is empty');
  if (variablesIn(converted, names).includes('expected'))
    fail('uses {{expected}}, which here is for checks only; rename the variable');
  return converted;
}
