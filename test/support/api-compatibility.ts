import type { Json } from './api';

/** Bounds of a request, with the sign by which a lower one is narrower. */
const BOUNDS = { maximum: 1, maxLength: 1, maxItems: 1, minimum: -1, minLength: -1, minItems: -1 };

/** Breaks for a caller written for the first API document, if the second is served: the place, by dots, and the change. */
export function breaksBetween(before: Json, after: Json): string[] {
  const [old, now] = [linked(before), linked(after)];
  const breaks = [true, false].map((isRequest) => compared(apiOf(old, isRequest), apiOf(now, isRequest), isRequest));
  return [...new Set(breaks.flat())];
}

/** True if the text has the path, with or without /api/v1, or the member or the end of its place, in backticks. */
export function isAnnounced(text: string, broken: string): boolean {
  const [place = ''] = broken.split(' ');
  const [path = ''] = place.split('.');
  const words = [...text.matchAll(/`([^`]+)`/g)].flatMap(([, code = '']) => code.split(/\s+/));
  return words.some((word) => [word, `/api/v1${word}`].includes(path) || `.${place}`.endsWith(`.${word}`));
}

/** A copy with what references point to in their places, and its name in each schema. */
function linked(document: Json): Json {
  const copy = structuredClone(document);
  for (const [name, schema] of Object.entries<Json>(copy.components.schemas)) schema.name = name;
  const link = (node: Json): Json => {
    if (typeof node !== 'object' || node === null) return node;
    const names: string[] | undefined = node.$ref?.slice(2).split('/');
    if (names !== undefined) return names.reduce((at, name) => at[name], copy);
    for (const [key, value] of Object.entries(node)) node[key] = link(value);
    return node;
  };
  return link(copy);
}

/** All requests or all answers as one schema: paths, methods, parameters, statuses, headers and bodies are members. */
function apiOf({ paths }: Json, isRequest: boolean): Json {
  const operationOf = ({ 'x-stability': stability, parameters = [], requestBody: body, responses }: Json): Json => {
    const named = Object.fromEntries((parameters as Json[]).map((one) => [one.name, one]));
    const request = objectOf({ ...named, ...(body && { body: { ...body, schema: objectOf(body.content) } }) });
    const answers = objectOf(responses, ({ headers, content }) => objectOf({ ...headers, ...content }));
    return { ...(isRequest ? request : answers), 'x-stability': stability };
  };
  return objectOf(paths, (methods) => objectOf(methods, operationOf));
}

function objectOf(members: Json, schemaOf = ({ schema = {} }: Json): Json => schema): Json {
  const properties = Object.fromEntries(Object.keys(members).map((name) => [name, schemaOf(members[name])]));
  return {
    type: 'object',
    properties,
    required: Object.keys(members).filter((name) => members[name].required === true),
  };
}

/** Each kind of value goes on as the kind that fits it best, and an answer has no type that it did not have. */
function compared(before: Json, after: Json, isRequest: boolean, at = '', open: Json[][] = []): string[] {
  if (before['x-stability'] === 'experimental') return [];
  if (after === undefined) return [`${at} is gone`];
  if (open.some(([old, now]) => old === before && now === after)) return [];
  const [place, olds, nows] = [after.name ?? at, kindsOf(before), kindsOf(after)];
  const [given, taken] = isRequest ? [olds, nows] : [nows, olds];
  const lost = given.filter((one) => !taken.some((other) => fits(one, other)));
  const goesOn = (old: Json) => {
    const next = nows.filter((now) => (isRequest ? fits(old, now) : fits(now, old)));
    const breaks = next.map((now) => valuesCompared(old, now, isRequest, place, [...open, [before, after]]));
    return breaks.sort((left, right) => left.length - right.length)[0] ?? [];
  };
  const verb = isRequest ? 'can no longer' : 'can now';
  return [...lost.map(({ type = 'anything' }) => `${place} ${verb} be ${type}`), ...olds.flatMap(goesOn)];
}

function valuesCompared(before: Json, after: Json, isRequest: boolean, at: string, open: Json[][]): string[] {
  const [from, to] = isRequest ? [before, after] : [after, before];
  const required = to.required.filter((name: string) => name in after.properties && !from.required.includes(name));
  const placeOf = (name: string) => [at, name].filter(Boolean).join('.');
  return [
    ...narrowed(before, after, isRequest).map((name) => `${at} has another ${name}`),
    ...required.map((name: string) => `${placeOf(name)} is ${isRequest ? 'required now' : 'no longer required'}`),
    ...Object.keys(before.properties).flatMap((name) =>
      compared(before.properties[name], after.properties[name], isRequest, placeOf(name), open),
    ),
  ];
}

/** Requests keep their room. Answers may get further values of an enum, but need one where they had one. */
function narrowed(before: Json, after: Json, isRequest: boolean): string[] {
  if (!isRequest) return before.enum !== undefined && after.enum === undefined ? ['enum'] : [];
  const isTaken = (value: Json) => RegExp(after.pattern).test(value) && (after.enum?.includes(value) ?? true);
  if (before.enum?.every(isTaken) === true) return [];
  const isLower = ([name, sign]: [string, number]) => sign * after[name] < sign * (before[name] ?? sign * Infinity);
  const isNew = (name: string) => after[name] !== undefined && String(after[name]) !== String(before[name]);
  return [
    ...Object.entries(BOUNDS)
      .filter(isLower)
      .map(([name]) => name),
    ...['pattern', 'format', 'enum'].filter(isNew),
  ];
}

/** The schema without combinations, once for each type and choice. Items and other members are members too. */
function kindsOf({ allOf = [], oneOf, anyOf, items, additionalProperties: others, ...own }: Json): Json[] {
  const more = { ...(items && { '': items }), ...(typeof others === 'object' && { '*': others }) };
  const kinds = [own.type]
    .flat()
    .map((type) => ({ required: [], ...own, type, properties: { ...own.properties, ...more } }));
  const choices = [oneOf, anyOf].filter(Boolean).map((list: Json[]) => list.flatMap(kindsOf));
  const join = (all: Json[], part: Json[]) => all.flatMap((one) => part.map((other) => merged(one, other)));
  return [...(allOf as Json[]).map(kindsOf), ...choices].reduce(join, kinds);
}

function merged(left: Json, right: Json): Json {
  const properties = { ...left.properties, ...right.properties };
  const required = [...left.required, ...right.required];
  return { ...left, ...right, type: right.type ?? left.type, properties, required };
}

function fits({ type: narrow }: Json, { type: wide }: Json): boolean {
  return wide === undefined || narrow === wide || (narrow === 'integer' && wide === 'number');
}
