import type { Check } from '../client/client';
import { UsageError } from './exit-codes';
import { fileText, jsonOf } from './files';
import type { System } from './system';

const SHORT = /^(?:([a-z0-9_-]{1,40}):)?(not-)?([a-z]+)(?:=([^]*))?$/;
const NUMBER = String.raw`[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?`;

/** How the value of each type is written; none where undefined. */
const TYPES: Record<string, (value: string | undefined, system: System) => object> = {
  equals: (value) => ({ value: given(value, 'equals=TEXT') }),
  contains: (value) => ({ values: [given(value, 'contains=TEXT')] }),
  label: (value) => ({ values: given(value, 'label=ONE|ANOTHER').split('|') }),
  regex: (value) => ({ pattern: given(value, 'regex=PATTERN') }),
  json: (value, system) =>
    value === undefined ? {} : { schema: fileJson(system, given(value, 'json=FILE, a JSON Schema')) },
  number: (value) => {
    const [, number, tolerance] = parts(
      value,
      new RegExp(`^(${NUMBER})(?:~(${NUMBER}))?$`),
      'number=42, or number=42~0.5 for 42 within 0.5',
    );
    return { value: Number(number), ...(tolerance !== undefined && { tolerance: Number(tolerance) }) };
  },
  length: (value) => {
    const [, min, max, unit] = parts(
      value,
      /^(\d+)?\.\.(\d+)?(characters|words|tokens)?$/,
      'length=10..200, length=..50words or length=10..tokens',
    );
    return {
      ...(min !== undefined && { min: Number(min) }),
      ...(max !== undefined && { max: Number(max) }),
      ...(unit !== undefined && { unit }),
    };
  },
  similarity: (value) => {
    const [, min, text] = parts(value, /^([01](?:\.\d+)?):([^]+)$/, 'similarity=0.8:TEXT');
    return { value: text, min: Number(min) };
  },
  latency: (value) => {
    const [, milliseconds, of] = parts(
      value,
      /^(\d+)(?::(total|first_token))?$/,
      'latency=2000 or latency=500:first_token, in milliseconds',
    );
    return { max_ms: Number(milliseconds), ...(of !== undefined && { of }) };
  },
  cost: (value) => ({ max_usd: Number(parts(value, /^(\d+(?:\.\d+)?)$/, 'cost=0.001, in USD')[1]) }),
  finished: (value) => {
    if (value !== undefined) throw new UsageError('--check finished takes no value.');
    return {};
  },
};

/**
 * The checks of `--check`, in shell notation or JSON, and of `--checks`, a file with an array of checks. @throws
 * UsageError
 */
export function checksOf(
  system: System,
  { check = [], checks }: { check?: readonly string[]; checks?: string },
): Check[] {
  const ofFile = checks === undefined ? [] : fileJson(system, checks);
  if (!Array.isArray(ofFile)) throw new UsageError(`${checks} must contain a JSON array of checks.`);
  return [
    ...(ofFile as Check[]),
    ...check.map((text) =>
      text.trimStart().startsWith('{') ? (jsonOf(text, '--check') as Check) : shortCheck(text, system),
    ),
  ];
}

/** Its members are the service's to judge. */
function shortCheck(text: string, system: System): Check {
  const [, name, not, type = '', value] = SHORT.exec(text) ?? [];
  const membersOf = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
  if (membersOf === undefined)
    throw new UsageError(
      `--check must be TYPE=VALUE, where TYPE is one of ${Object.keys(TYPES).join(', ')}. The prefix not- negates it; the prefix NAME: names it.`,
    );
  return {
    type,
    ...(name !== undefined && { name }),
    ...(not !== undefined && { not: true }),
    ...membersOf(value, system),
  } as Check;
}

function given(value: string | undefined, form: string): string {
  if (value === undefined || value === '') throw new UsageError(`--check is written ${form}.`);
  return value;
}

function parts(value: string | undefined, pattern: RegExp, form: string): RegExpExecArray {
  const found = pattern.exec(value ?? '');
  if (found === null) throw new UsageError(`--check is written ${form}.`);
  return found;
}

function fileJson(system: System, path: string): unknown {
  return jsonOf(fileText(system, path), path);
}
