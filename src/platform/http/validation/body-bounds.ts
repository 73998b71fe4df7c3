import { REQUEST_LIMITS } from '../../config/request-limits';

/** Far above what any request of this service holds, and low enough that looking at all of it takes no time. */
const MAX_MEMBERS = 50;
const MAX_NAME_CHARACTERS = 101;
const MAX_DEPTH = 10;
const MAX_ELEMENTS = Math.max(1000, REQUEST_LIMITS.MAX_MODELS + 1);
const MAX_VALUES = 2 * MAX_ELEMENTS;
/** For the content of one member, such as a schema. */
const MAX_UNREAD_VALUES = 10_000;
const MAX_UNREAD_DEPTH = 64;

/** As much of a body as is looked at. */
interface Beginning {
  body: object;
  /** True if that is all of it. */
  isWhole: boolean;
}

/**
 * The beginning of a parsed body, bounded in members of an object, elements of a list, levels, characters of a name and
 * values in total.
 * Later steps take time quadratic in these, and an error in the beginning is as useful as an error in the whole.
 */
export function beginningOf(body: object): Beginning {
  const cutting = { valuesLeft: MAX_VALUES, isWhole: true };
  const copy = cut(body, 1, cutting) as object;
  return { body: cutting.isWhole ? body : copy, isWhole: cutting.isWhole };
}

/** True if a value that is kept unchanged, such as a JSON schema, has few enough values and levels to walk quickly. */
export function isBoundedBody(value: unknown): boolean {
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
  return Array.isArray(value)
    ? cutList(value, depth, cutting)
    : cutObject(value as Record<string, unknown>, depth, cutting);
}

function cutList(list: readonly unknown[], depth: number, cutting: Cutting): unknown[] {
  const first = list.slice(0, take(list.length, MAX_ELEMENTS, depth, cutting));
  return first.map((element) => cut(element, depth + 1, cutting));
}

function cutObject(object: Record<string, unknown>, depth: number, cutting: Cutting): object {
  const names = Object.keys(object);
  const first = names.slice(0, take(names.length, MAX_MEMBERS, depth, cutting));
  return Object.fromEntries(
    first.map((name) => {
      if (name.length > MAX_NAME_CHARACTERS) cutting.isWhole = false;
      return [name.slice(0, MAX_NAME_CHARACTERS), cut(object[name], depth + 1, cutting)];
    }),
  );
}

/** The number of values at that depth that are copied; records if some are left out. */
function take(count: number, most: number, depth: number, cutting: Cutting): number {
  const copied = depth > MAX_DEPTH ? 0 : Math.min(count, most, cutting.valuesLeft);
  cutting.valuesLeft -= copied;
  if (copied < count) cutting.isWhole = false;
  return copied;
}
