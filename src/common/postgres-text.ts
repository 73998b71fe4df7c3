/** True if Postgres can store a text: it contains no U+0000 and no lone surrogate. */
export function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

/** The text with everything Postgres cannot store replaced by U+FFFD. */
export function toStorable(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\uFFFD');
}

/**
 * Makes the pieces of a text storable. Joined, they are the storable text, also if a surrogate pair comes in two
 * pieces.
 */
export class StorablePieces {
  private held = '';

  /** The storable part of a piece. Its last half of a pair waits for the next piece. */
  next(piece: string): string {
    const text = this.held + piece;
    const isHalf = HIGH_SURROGATE.test(text);
    this.held = isHalf ? text.slice(-1) : '';
    return toStorable(isHalf ? text.slice(0, -1) : text);
  }

  /** The rest after the last piece: U+FFFD for a half that stays alone. */
  end(): string {
    return toStorable(this.held);
  }
}

const HIGH_SURROGATE = /[\ud800-\udbff]$/;

/** The number of characters (code points) of a text, as JSON Schema counts them: a surrogate pair is one. */
export function charactersIn(text: string): number {
  return text.length - (text.match(SURROGATE_PAIR)?.length ?? 0);
}

const SURROGATE_PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;
