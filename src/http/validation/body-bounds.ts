import { REQUEST_LIMITS } from '../../common/request-limits';

/** Far above what any request of this service holds, and low enough that looking at all of it takes no time. */
const MAX_MEMBERS = 50;
const MAX_NAME_CHARACTERS = 101;
const MAX_DEPTH = 10;
const MAX_ELEMENTS = Math.max(1000, REQUEST_LIMITS.MAX_MODELS + 1);
const MAX_VALUES = 2 * MAX_ELEMENTS;
/** Of what a member of its own holds, such as a schema. */
const MAX_UNREAD_VALUES = 10_000;
const MAX_UNREAD_DEPTH = 64;

/** As much of a body as is looked at. */
export interface Beginning {
  body: object;
  /** Whether that is all of it. */
  isWhole: boolean;
}

/**
 * The beginning of a parsed body: so many members of an object, elements of a list, levels, characters of a name and values in all.
 * What follows costs time with the square of these, and an error in the beginning says as much as one in the whole.
 */
export function beginningOf(body: object): Beginning {
  const cutting = { valuesLeft: MAX_VALUES, isWhole: true };
  const copy = cut(body, 1, cutting) as object;
  return { body: cutting.isWhole ? body : copy, isWhole: cutting.isWhole };
}

/** Whether a value that is taken as it is, such as a JSON schema, holds no more values and levels than can be gone through in no time. */
export function isBounded(value: unknown): boolean {
  // Level by level, because a hostile depth would exhaust a recursion.
  let level = [value];
  for (let [depth, left] = [0, MAX_UNREAD_VALUES]; level.length > 0; depth += 1) {
    const inner: unknown[] = [];
    for (const one of level) {
      if (typeof one !== 'object' || one === null) continue;
      for (const member of Object.values(one)) {
        left -= 1;
        if (left < 0) return false;
        inner.push(member);
      }
    }
    if (depth > MAX_UNREAD_DEPTH) return false;
    level = inner;
  }
  return true;
}

interface Cutting {
  valuesLeft: number;
  isWhole: boolean;
}

function cut(value: unknown, depth: number, cutting: Cutting): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? cutList(value, depth, cutting) : cutObject(value as Record<string, unknown>, depth, cutting);
}

function cutList(list: readonly unknown[], depth: number, cutting: Cutting): unknown[] {
  const first = list.slice(0, take(list.length, MAX_ELEMENTS, depth, cutting));
  return first.map((element) => cut(element, depth + 1, cutting));
}

function cutObject(object: Record<string, unknown>, depth: number, cutting: Cutting): object {
  const names = Object.keys(object);
  const first = names.slice(0, take(names.length, MAX_MEMBERS, depth, cutting));
  return Object.fromEntries(first.map((name) => {
    if (name.length > MAX_NAME_CHARACTERS) cutting.isWhole = false;
    return [name.slice(0, MAX_NAME_CHARACTERS), cut(object[name], depth + 1, cutting)];
  }));
}

/** How many of so many values at that depth are copied; notes when that is not all. */
function take(count: number, most: number, depth: number, cutting: Cutting): number {
  const copied = depth > MAX_DEPTH ? 0 : Math.min(count, most, cutting.valuesLeft);
  cutting.valuesLeft -= copied;
  if (copied < count) cutting.isWhole = false;
  return copied;
}
