import { userInfo } from 'node:os';
import type { Type } from '@nestjs/common';
import { consoleActor, type Actor } from '../../audit/actor';
import { OperatorError } from '../../common/operator-error';
import { keepSource } from '../../http/validation/exact-amounts';
import { problemWith, text } from '../../http/validation/field-kinds';
import { CURSOR } from '../../http/validation/page.decorators';
import { RequestValidationPipe } from '../../http/validation/request-validation.pipe';
import { refused } from './refused';

const NUMBER_OR_NULL = /^(?:null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;
const MAX_NAME_CHARACTERS = 100;
/** The description of a cursor for readers of pages. */
const CURSOR_HERE = 'what the page before printed: after "There are more: --cursor", or as next_cursor with --json';

const pipe = new RequestValidationPipe();

/** The values of a command line as the body of a request, checked like one. @throws OperatorError with the sentences of the API */
export async function checkedBody<T extends object>(type: Type<T>, values: object): Promise<T> {
  const json = JSON.stringify(values);
  const body: unknown = JSON.parse(json);
  keepSource(body, json);
  return refused(async () => (await pipe.transform(body, { type: 'body', metatype: type })) as T);
}

/** The values of a command line as the query of a request, checked like one. @throws OperatorError with the sentences of the API */
export async function checkedQuery<T extends object>(type: Type<T>, values: object): Promise<T> {
  return refused(async () => (await pipe.transform({ ...values }, { type: 'query', metatype: type })) as T, (sentence) => sentence.replace(CURSOR, CURSOR_HERE));
}

/** A number of a command line with all of its digits, or null. What is neither becomes what is not even a string, since the sentence about strings is for people who write JSON. */
export function numberOrNull(word: string): unknown {
  return NUMBER_OR_NULL.test(word) ? JSON.rawJSON(word) : {};
}

/** `true` or `false` of a command line; anything else is left to be refused. */
export function flag(word: string): unknown {
  return word === 'true' || word === 'false' ? JSON.rawJSON(word) : {};
}

/** A text of a command line, or null. */
export function textOrNull(word: string): string | null {
  return word === 'null' ? null : word;
}

/** Words of a command line that are separated by commas, or null. */
export function listOrNull(words: string): string[] | null {
  if (words === 'null') return null;
  return words === '' ? [] : words.split(',');
}

/** Who types the command, for the audit log. @throws OperatorError when there is no such name */
export function actorNamed(given: string | undefined): Actor {
  const name = given ?? systemUser();
  const problem = problemWith(name, text(MAX_NAME_CHARACTERS)) ?? (/\p{Cc}/u.test(name) ? ' must not contain control characters' : undefined);
  if (problem !== undefined) throw new OperatorError(`--as${problem}.`);
  return consoleActor(name);
}

/** The operating system's user; its number where it has no name, as in containers. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.()}`;
  }
}
