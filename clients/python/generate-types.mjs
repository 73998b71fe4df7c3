// Part of npm run openapi:generate: writes api_types.py from docs/openapi.json; with a folder, writes there instead, for
// the test that compares.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = import.meta.dirname;
const target = process.argv[2] ?? join(FOLDER, 'src/model_comparison');
const { schemas } = JSON.parse(readFileSync(join(FOLDER, '../../docs/openapi.json'), 'utf8')).components;
/** As in src/clients/client/amounts.ts. */
const AMOUNT_NAME = /_usd$|_per_1m$|^(?:least|most)$/;
const NO_MEMBER = /^(?:class|from|global|import|in|is|not|or|and|pass|with|None)$|\W/;

const nameOf = (schema) => schema.$ref?.split('/').at(-1);
/** A schema with the members of its parts. */
function merged({ allOf = [], ...schema }) {
  const parts = [...allOf.map((part) => merged(part.$ref === undefined ? part : schemas[nameOf(part)])), schema];
  return Object.assign({}, ...parts, {
    ...(parts.some(({ properties }) => properties) && {
      properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
      required: parts.flatMap(({ required = [] }) => required),
    }),
  });
}
const union = (types) => [...new Set(types)].join(' | ');
const isSent = (name) => /(?:Request|Options|Check)$/.test(name);

/** The schemas that are amounts with several figures, such as `cost_usd: {mean, total}`, and no other member's. */
function amountSchemas() {
  const [amounts, others] = [new Set(), new Set()];
  const visit = (schema, isAmount) => {
    const name = nameOf(schema);
    if (name !== undefined) (isAmount ? amounts : others).add(name);
    for (const inner of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) visit(inner, isAmount);
    for (const inner of [schema.items, schema.additionalProperties])
      if (inner?.type ?? inner?.$ref) visit(inner, false);
    for (const [member, inner] of Object.entries(schema.properties ?? {})) visit(inner, AMOUNT_NAME.test(member));
  };
  for (const schema of Object.values(schemas)) visit(merged(schema), false);
  return { amounts, others };
}
const { amounts, others } = amountSchemas();

const SIMPLE = { string: 'str', boolean: 'bool', null: 'None' };

/** The Python type of a schema; `number` is the type of its numbers. */
function typeOf(schema, number) {
  const parts = schema.anyOf ?? schema.oneOf;
  if (schema.$ref !== undefined) return nameOf(schema);
  if (parts !== undefined) return union(parts.map((part) => typeOf(part, number)));
  if (schema.enum !== undefined)
    return `Literal[${schema.enum.map((value) => (value === null ? 'None' : JSON.stringify(value))).join(', ')}]`;
  if (schema.type === undefined) return 'Any';
  return union([schema.type].flat().map((type) => simpleType(type, schema, number)));
}

function simpleType(type, { items = {}, additionalProperties }, number) {
  if (type === 'array') return `list[${typeOf(items, 'float')}]`;
  if (type === 'integer') return number === 'float' ? 'int' : number;
  if (type === 'number') return number;
  if (type === 'object')
    return `dict[str, ${typeof additionalProperties === 'object' ? typeOf(additionalProperties, 'float') : 'Any'}]`;
  return SIMPLE[type];
}

const textOf = (text) => JSON.stringify(text).slice(1, -1).replaceAll('\\"', "'");

function typedDict(name, { description, properties, required = [] }) {
  const members = Object.entries(properties).map(([member, schema]) => {
    const amount = isSent(name) ? 'Decimal | int | str' : 'Decimal';
    const figure = amounts.has(name) ? (others.has(name) ? 'Decimal | float' : 'Decimal') : 'float';
    const type = typeOf(schema, AMOUNT_NAME.test(member) ? amount : figure);
    return [member, required.includes(member) ? type : `NotRequired[${type}]`];
  });
  if (members.some(([member]) => NO_MEMBER.test(member)))
    return `${name} = TypedDict("${name}", {\n${members.map(([member, type]) => `    "${member}": ${JSON.stringify(type.replaceAll('"', "'"))},\n`).join('')}})\n`;
  const docstring = description === undefined ? '' : `    """${textOf(description)}"""\n\n`;
  return `class ${name}(TypedDict):\n${docstring}${members.map(([member, type]) => `    ${member}: ${type}\n`).join('') || '    pass\n'}`;
}

const all = Object.entries(schemas).map(([name, schema]) => [name, merged(schema)]);
const isObject = ([, schema]) => schema.properties !== undefined;

writeFileSync(
  join(target, 'api_types.py'),
  [
    '"""Types of the API. Generated from docs/openapi.json by `npm run openapi:generate`: do not edit."""\n\nfrom __future__ import annotations\n\nfrom decimal import Decimal\nfrom typing import Any, Literal, NotRequired, TypeAlias, TypedDict\n',
    ...all.filter(isObject).map(([name, schema]) => typedDict(name, schema)),
    ...all
      .filter((entry) => !isObject(entry))
      .map(([name, schema]) => `${name}: TypeAlias = ${typeOf(schema, 'float')}\n`),
  ].join('\n\n'),
);
