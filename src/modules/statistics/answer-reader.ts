import { Sayings } from './agreement';
import { Numbering } from './fingerprint';

/** An answer by its number: the same text has the same one. Long texts themselves are slow to find in a Map. */
export type Answer = number;

/** Reads each different answer once. */
export class AnswerReader {
  readonly texts: string[] = [];
  private readonly numbers = new Numbering();
  private readonly sayings = new Sayings();
  private readonly keys: number[] = [];

  read(answers: readonly string[]): Answer[] {
    return answers.map((text) => {
      const number = this.numbers.numberOf(text);
      if (this.texts[number] === undefined) {
        this.texts[number] = text;
        this.keys[number] = this.sayings.read(text);
      }
      return number;
    });
  }

  /** The number of an answer's meaning among all that were read: answers that agree have the same number. */
  keyOf(answer: Answer): number {
    return this.sayings.resolved(at(this.keys, answer));
  }
}

/** The element with a number. @throws RangeError if there is none */
export function at<T>(list: readonly T[], number: Answer): T {
  const value = list[number];
  if (value === undefined) throw new RangeError('An answer that was not read.');
  return value;
}
