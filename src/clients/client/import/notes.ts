import type { ImportNote } from '../types';

/** The members of an object of a file. */
export type Members = Record<string, unknown>;

/** The reason why a part of a file is not converted: the rest of a sentence that begins with its place. */
class Unconverted extends Error {
  constructor(
    problem: string,
    readonly place?: string,
  ) {
    super(problem);
  }
}

/**
 * Ends the conversion of a part. With a place, it is listed once for all parts. @throws Unconverted, which
 * `Notes.attempt` lists
 */
export function fail(problem: string, place?: string): never {
  throw new Unconverted(problem, place);
}

/** Collects the parts of a file that are not converted, or are converted with a difference. */
export class Notes {
  readonly unconverted: ImportNote[] = [];
  readonly remarks: ImportNote[] = [];

  /** True if a part is lost that may have variables: that a prompt lacks one is no further problem then. */
  isIncomplete = false;

  /** Returns a list with what the function returns, or an empty list and a note where it fails. */
  attempt<T>(place: string, convert: () => T): T[] {
    try {
      return [convert()];
    } catch (error) {
      if (!(error instanceof Unconverted)) throw error;
      this.unconverted.push({ place: error.place ?? place, problem: error.message });
      return [];
    }
  }

  /**
   * Lists the members of an object that are not converted. The `replaced` ones belong to a provider that is not asked.
   */
  listOthers(
    place: string,
    members: object,
    known: readonly string[],
    harmless: readonly string[] = [],
    replaced: readonly string[] = [],
  ): void {
    for (const name of Object.keys(members).filter((each) => !known.includes(each))) {
      const remark = harmless.includes(name)
        ? 'is left out; it changes no verdict'
        : replaced.includes(name)
          ? 'is left out with its provider; answers may differ'
          : undefined;
      this[remark === undefined ? 'unconverted' : 'remarks'].push({
        place: `${place}.${name}`.replace(/^\./, ''),
        problem: remark ?? 'has no counterpart',
      });
    }
  }
}

/** The members of an object; none of anything else. */
export function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {};
}

/** A value as a list; empty if it is absent. */
export function listOf(value: unknown): unknown[] {
  return value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
}

/** The text of a text, number or flag. @throws Unconverted */
export function textOf(value: unknown): string {
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : fail('has no text as its value');
}
