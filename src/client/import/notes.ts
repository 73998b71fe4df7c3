import type { ImportNote } from '../types';

/** The reason why a part of a file is not converted: the rest of a sentence that begins with its place. */
class Unconverted extends Error {}

/** Ends the conversion of a part. @throws Unconverted, which `Notes.attempt` lists */
export function fail(problem: string): never {
  throw new Unconverted(problem);
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
      this.unconverted.push({ place, problem: error.message });
      return [];
    }
  }

  /** Lists the members of an object that are not converted. */
  listOthers(place: string, members: object, known: readonly string[], harmless: readonly string[] = []): void {
    for (const name of Object.keys(members).filter((each) => !known.includes(each))) {
      const isHarmless = harmless.includes(name);
      this[isHarmless ? 'remarks' : 'unconverted'].push({ place: `${place}.${name}`.replace(/^\./, ''), problem: isHarmless ? 'is left out; it changes no verdict' : 'has no counterpart' });
    }
  }
}

/** The members of an object; none of anything else. */
export function membersOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value as Record<string, unknown> : {};
}

/** A value as a list; empty if it is absent. */
export function listOf(value: unknown): unknown[] {
  return value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
}

/** The text of a text, number or flag. @throws Unconverted */
export function textOf(value: unknown): string {
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : fail('has no text as its value');
}
