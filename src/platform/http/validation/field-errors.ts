import type { ValidationError } from '@nestjs/common';
import { ApiError } from '../../../common/errors';
import { FIELD_RULE, membersOf, type Member } from './field.decorators';
import { nearName } from './near-name';

const MAX_PROBLEMS = 20;
const MAX_NAME_CHARACTERS = 100;

interface Problem {
  param: string;
  /** A complete sentence. */
  message: string;
}

/**
 * Converts validation errors to an ApiError: its message is the first problem, and its details list up to 20 when there
 * are several.
 */
export function invalidRequest(errors: ValidationError[]): ApiError {
  const problems = collectProblems(errors, '').slice(0, MAX_PROBLEMS);
  const [first] = problems;
  return new ApiError('invalid_request', { ...first, ...(problems.length > 1 && { details: { problems } }) });
}

/** The error for a member that the request does not have, given the path to it. */
export function unknownMember(names: string[]): ApiError {
  return new ApiError('invalid_request', unknown(names.map(sanitize).join('.')));
}

function collectProblems(errors: ValidationError[], path: string): Problem[] {
  return errors.slice(0, MAX_PROBLEMS).flatMap((error) => problemsOf(error, path));
}

function problemsOf({ property, constraints = {}, children = [], target }: ValidationError, path: string): Problem[] {
  const param = joinPath(path, sanitize(property));
  if ('whitelistValidation' in constraints) return [unknown(param, adviceOn(property, target ?? null))];
  const rest = constraints[FIELD_RULE];
  if (rest === undefined) return collectProblems(children, param);
  const [index = ''] = /^(?:\[\d+\])?(?:\.\w+)?/.exec(rest) ?? [];
  return [{ param: param + index, message: `${param}${rest}.` }];
}

function unknown(param: string, advice?: string): Problem {
  return { param, message: `${param} is not a member of this request${advice === undefined ? '' : `; ${advice}`}.` };
}

/** The advice that a class has for a member of other APIs, or else the member that was perhaps meant. */
function adviceOn(name: string, target: object | null): string | undefined {
  const hint = (target?.constructor as { hints?: ReadonlyMap<string, string> } | undefined)?.hints?.get(name);
  const meant = hint === undefined ? nearName(name, membersOf(target).map(inWords)) : undefined;
  return meant === undefined ? hint : `perhaps ${meant} was meant`;
}

/** The path to a member in words, such as `temperature inside options`. */
function inWords({ path }: Member): string {
  return path.toReversed().join(' inside ');
}

function joinPath(path: string, name: string): string {
  if (path === '') return name;
  // An element of a list.
  return /^\d+$/.test(name) ? `${path}[${name}]` : `${path}.${name}`;
}

/** A name as the caller gave it, but shortened and without control characters. */
export function sanitize(name: string): string {
  if (name === '') return '""';
  const cut = name.length > MAX_NAME_CHARACTERS ? `${name.slice(0, MAX_NAME_CHARACTERS - 1)}…` : name;
  return cut.toWellFormed().replace(/\p{Cc}/gu, '\uFFFD');
}
